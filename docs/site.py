"""Lists the generated pages of the reference in the site's navigation."""
import os


def on_config(config):
    folder = "docs/reference"
    names = sorted(
        name for name in os.listdir(os.path.join(config.docs_dir, folder))
        if name.endswith(".md") and name != "README.md")
    commands = [name for name in names if name.startswith("etl-")]
    stages = [name for name in names if name.startswith("stage-")]
    others = [name for name in names if name not in commands + stages]

    def pages(names, prefix):
        return [{name[len(prefix):-3]: f"{folder}/{name}"} for name in names]

    config.nav.insert(-1, {"Reference": [
        f"{folder}/README.md",
        {"Commands": pages(commands, "etl-")},
        {"Stages": pages(stages, "stage-")},
    ] + [f"{folder}/{name}" for name in others]})
    return config
