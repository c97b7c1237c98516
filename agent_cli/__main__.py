"""`python -m agent_cli`."""

from agent_cli.cli.main import main

if __name__ == "__main__":
    main()
