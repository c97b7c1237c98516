"""The built-in tools. Each is a struct of arguments, a description in `prompts/tools/`, and a class that runs it."""
