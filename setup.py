"""Puts notebooks and params into the wheel, as masrepro/share; everything else stands in pyproject.toml."""

from setuptools import find_packages, setup

setup(
    packages=[*find_packages(include=["masrepro*"]), "masrepro.share.notebooks", "masrepro.share.params"],
    package_dir={"masrepro.share.notebooks": "notebooks", "masrepro.share.params": "params"},
    package_data={
        "masrepro.bench.public": ["*.yaml"],
        "masrepro.models": ["weights/*/*", "weights/*/earlier/*/*", "*.yaml"],
        "masrepro.report.published": ["*.yaml"],
        "masrepro.report": ["templates/*.j2"],
        "masrepro.share.notebooks": ["*.ipynb"],
        "masrepro.share.params": ["*/*.yaml"],
    },
)
