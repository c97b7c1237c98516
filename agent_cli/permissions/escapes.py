"""Options by which an allowed program would run another one or write where it likes (C60).

A `*` in an allow rule never covers them; a rule that spells them out does. Sources: git(1) and its subcommands,
find(1), sort(1), rg(1), fd(1), tar(1), tree(1).
"""

import re
from pathlib import PurePosixPath

_GIT_LONG = [
    "--config",
    "--config-env",
    "--exec",
    "--exec-path",
    "--ext-diff",
    "--git-dir",
    "--open-files-in-pager",
    "--output",
    "--output-directory",
    "--receive-pack",
    "--template",
    "--textconv",
    "--upload-pack",
    "--work-tree",
]
_GIT_WORDS = "config|filter-branch|difftool|mergetool|foreach|run|instaweb|daemon|send-email"

_SHORT = {
    "git": re.compile(rf"-[a-zA-Z]*[cCoOux].*|{_GIT_WORDS}"),
    "find": re.compile(r"-(exec|ok|delete|fprint|fls|files0-from).*"),
    "sort": re.compile(r"-[a-zA-Z]*[oT].*"),
    "fd": re.compile(r"-[a-zA-Z]*[xX].*"),
    "tar": re.compile(r"-?[a-zA-Z]*[IF].*"),
    "tree": re.compile(r"-[a-zA-Z]*[oR].*"),
}
_LONG = {
    "git": _GIT_LONG,
    "sort": ["--output", "--compress-program", "--files0-from", "--temporary-directory"],
    "rg": ["--pre", "--hostname-bin"],
    "fd": ["--exec", "--exec-batch"],
    "tar": [
        "--checkpoint-action",
        "--info-script",
        "--new-volume-script",
        "--rmt-command",
        "--rsh-command",
        "--to-command",
        "--use-compress-program",
    ],
    "tree": ["--output"],
}


def escapes(program: str, word: str) -> bool:
    """Whether this argument makes the program do what its name does not say; long options may be shortened."""
    name = PurePosixPath(program).name
    if word.startswith("--"):
        option = word.partition("=")[0]
        return len(option) > 2 and any(known.startswith(option) for known in _LONG.get(name, ()))
    short = _SHORT.get(name)
    return short is not None and short.fullmatch(word) is not None
