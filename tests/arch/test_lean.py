"""Nothing heavy on the way to the prompt: what is loaded before the first model call is counted."""

import json
import subprocess
import sys

ALLOWED = {
    "prompt_toolkit", "wcwidth", "typer", "shellingham", "annotated_doc", "rich", "pygments", "markdown_it", "mdurl",
    "msgspec", "platformdirs", "agent_cli", "typing_extensions", "__mp_main__",
}  # fmt: skip

PROBE = """
import json, sys
before = set(sys.modules)
import agent_cli.cli.main
after = {name.partition(".")[0] for name in set(sys.modules) - before}
print(json.dumps(sorted(name for name in after if name not in sys.stdlib_module_names)))
"""


def test_only_light_packages_are_imported_by_the_entry_point():
    loaded = json.loads(
        subprocess.run([sys.executable, "-c", PROBE], capture_output=True, check=True, text=True).stdout
    )
    assert set(loaded) - ALLOWED - {name for name in loaded if name.startswith("_")} == set()
