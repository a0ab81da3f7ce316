from __future__ import annotations

from pathlib import Path
from typing import cast

import pytest
from fixture_home import FixtureHome
from pydantic import model_validator

from masrepro.lab.home import Home
from masrepro.lab.params import SCHEMAS, FiveAxesParams, Params
from masrepro.lab.problem import BadInput
from masrepro.lab.resolve import resolve

NAME = "01_five_axes"


@pytest.fixture
def home(fixture_home: FixtureHome) -> Home:
    return Home(fixture_home.root, fixture_home.root / "outputs")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "ablation.yaml"


def problems(home: Home, **arguments: object) -> list[str]:
    with pytest.raises(BadInput) as caught:
        resolve(NAME, home=home, **arguments)  # type: ignore[arg-type]
    return str(caught.value).splitlines()


def five_axes(params: Params) -> FiveAxesParams:
    assert isinstance(params, FiveAxesParams)
    return params


def test_layers_lie_over_one_another(home: Home, file: Path) -> None:
    file.write_text("n_samples: 7\nseed: 2\n")
    params = five_axes(resolve(NAME, home=home, profile="smoke", file=file, options=[("seed", "3")]))
    assert (params.profile, params.n_samples, params.seed) == ("smoke", 7, 3)
    assert params.axes["depth"] == (2, 4)


def test_the_same_values_give_the_same_hash_from_wherever_they_come(home: Home, file: Path) -> None:
    file.write_text("temperature: 1e-5\nprofile: smoke\n")
    by_file = resolve(NAME, home=home, file=file)
    by_option = resolve(NAME, home=home, profile="smoke", options=[("temperature", "0.00001")])
    by_variable = resolve(NAME, home=home, variables={"profile": "smoke", "temperature": 1e-5})
    assert by_file.content_hash == by_option.content_hash == by_variable.content_hash
    assert by_file.content_hash != resolve(NAME, home=home, profile="smoke").content_hash


@pytest.mark.parametrize("text", ["1e-5", "1.0e-5", "0.00001"])
def test_a_float_in_exponent_form_is_a_float_by_every_way(home: Home, file: Path, text: str) -> None:
    file.write_text(f"temperature: {text}\n")
    for params in (
        resolve(NAME, home=home, profile="smoke", file=file),
        resolve(NAME, home=home, profile="smoke", options=[("temperature", text)]),
        resolve(NAME, home=home, variables={"profile": "smoke", "temperature": text}),
    ):
        assert five_axes(params).temperature == 1e-5


def test_every_problem_of_a_file_is_reported_at_once_in_order(home: Home, file: Path) -> None:
    file.write_text(
        "n_sampels: 5\n"
        "temperature: '0.5'\n"
        "model: no\n"
        "n_samples: 012\n"
        "max_tokens: 0\n"
        "axes:\n"
        "  dept: [2]\n"
        "  depth: [13, 2.5]\n"
        "systems: [orcale]\n"
        "repeats: true\n"
    )
    told = problems(home, profile="smoke", file=file)
    expected = [
        "line 1: unknown key n_sampels, did you mean n_samples?",
        "line 2: temperature is '0.5': should be a valid number; leave out the quotes",
        "line 3: `model: no` is false to YAML 1.1 readers",
        "line 4: `n_samples: 012` has a leading zero",
        "line 5: max_tokens is 0: should be greater than or equal to 1",
        "line 7: unknown key axes.dept, did you mean depth?",
        "line 8: axes.depth.0 is 13: should be less than or equal to 12",
        "line 8: axes.depth.1 is 2.5: should be a valid integer",
        "line 9: systems.0 is 'orcale': should be 'single_agent', 'star' or 'oracle', did you mean oracle?",
        "line 10: repeats is True: should be a valid integer",
    ]
    assert len(told) == len(expected)
    for line, words in zip(told, expected, strict=True):
        assert line.startswith(f"{file}, {words}")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty"),
        ("- n_samples\n", "is a list"),
        ("n_samples\n", "is a single value"),
        ("seed: 1\nseed: 1\n", "line 2: repeated key seed"),
        ("profile: desk\n", "line 1: profile is desk, but the run is for smoke"),
        ("axes: {}\n", "line 1: axes is {}"),
        ("axes: {depth: []}\n", "line 1: axes.depth is []: list should have at least 1 item"),
        ("axes: {depth: [2, 2]}\n", "line 1: axes.depth is [2, 2]: holds 2 more than once"),
        ("temperature: .inf\n", "line 1: temperature is inf"),
        ("temperature: .nan\n", "line 1: temperature is nan"),
    ],
)
def test_a_file_that_says_nothing_usable_is_refused(home: Home, file: Path, text: str, told: str) -> None:
    file.write_text(text)
    (line,) = problems(home, profile="smoke", file=file)
    assert line.startswith(f"{file}") and told in line


def test_a_missing_file_is_named_with_what_is_there(home: Home) -> None:
    (line,) = problems(home, profile="gpu")
    assert line == f"params/gpu/{NAME}.yaml: no such file or directory; params/gpu has no params files"
    (line,) = problems(home, profile="smoke", file=home.root / "params" / "smoke" / "01.yaml")
    assert "params/smoke has 00_start_here.yaml, 01_five_axes.yaml" in line


def test_a_file_that_is_not_text_is_refused(home: Home, file: Path) -> None:
    file.write_bytes(b"model: \xff\xfe\n")
    assert problems(home, profile="smoke", file=file) == [f"{file}: is not UTF-8 text"]


def test_unknown_names_come_with_the_nearest_known(home: Home) -> None:
    with pytest.raises(BadInput, match=r"no notebook 01_five_axis, did you mean 01_five_axes?"):
        resolve("01_five_axis", home=home)
    assert problems(home, profile="smok") == ["--profile: no profile smok, did you mean smoke?"]
    assert problems(home, variables={"profile": "smok"}) == ["variable profile: no profile smok, did you mean smoke?"]


def test_options_follow_the_same_rules(home: Home) -> None:
    params = resolve(NAME, home=home, profile="smoke", options=[("interactive", "false"), ("axes.depth", "[6]")])
    assert params.interactive is False
    assert five_axes(params).axes["depth"] == (6,)
    told = problems(
        home,
        profile="smoke",
        options=[("n_sampels", "5"), ("model", "no"), ("seed", ""), ("axes.dpth", "[2]")],
    )
    assert told == [
        "-p n_sampels: unknown key n_sampels, did you mean n_samples?",
        '-p model: `no` is false to YAML 1.1 readers; write "no" in quotes for the text, or true or false',
        "-p seed: has no value",
        "-p axes.dpth: unknown key axes.dpth, did you mean depth?",
    ]


def test_text_that_papermill_turned_into_false_is_refused(home: Home) -> None:
    (line,) = problems(home, variables={"profile": "smoke", "model": False})
    assert line.startswith("variable model: model is False: should be a valid string; YAML 1.1 readers turn")


@pytest.mark.parametrize(
    "line",
    [
        "api_key: swordfish",
        "hf_token: swordfish",
        "model: sk-swordfish1",
        "model: hf_swordfish",
        "model: AKIASWORDFISH123",
        "model: http://user:swordfish@host/v1",
        "axes: {depth: {password: swordfish}}",
    ],
)
def test_a_secret_is_refused_and_never_echoed(home: Home, file: Path, line: str) -> None:
    file.write_text(f"{line}\n")
    key, _, value = line.partition(": ")
    for told in (
        problems(home, profile="smoke", file=file),
        problems(home, profile="smoke", options=[(key, value)]),
        problems(
            home,
            variables={"profile": "smoke", key: value if "{" not in value else {"password": "swordfish"}},
        ),
    ):
        assert f"{key} holds a secret" in told[0] and "OPENAI_API_KEY" in told[0]
        assert "swordfish" not in "".join(told).lower()


def test_a_misspelt_count_of_tokens_is_no_secret(home: Home, file: Path) -> None:
    file.write_text("max_token: 512\n")
    for told in (
        problems(home, profile="smoke", file=file),
        problems(home, profile="smoke", options=[("max_token", "512")]),
    ):
        assert "unknown key max_token, did you mean max_tokens?" in told[0]


def test_the_value_of_a_secret_variable_is_refused(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIXTURE_API_KEY", "correct horse battery")
    (line,) = problems(home, profile="smoke", options=[("model", "correct horse battery")])
    assert "holds a secret" in line and "horse" not in line


def test_the_bound_is_plain_arithmetic(home: Home) -> None:
    options = [
        ("n_samples", "10"),
        ("repeats", "2"),
        ("axes", "{depth: [2, 4], parallel: [3]}"),
        ("max_tokens", "100"),
        ("plan_tokens", "50"),
        ("system_calls", "9"),
        ("solvers", "[one, other]"),
    ]
    bound = resolve(NAME, home=home, profile="smoke", options=options).bound()
    n_written = 10 * 3
    assert bound.samples == 2 * (10 * 2 * 3 * 2 + n_written)
    answered = 2 * (10 * 2 * (3 + (1 + 3 + 7)) + n_written * 9)
    assert bound.calls == answered + n_written
    assert bound.completion_tokens == 100 * answered + 50 * n_written
    assert bound.cost_usd == 0
    served = ("server", "{base_url: 'http://127.0.0.1:9/v1', context_tokens: 4096}")
    assert resolve(NAME, home=home, profile="smoke", options=[served]).bound().cost_usd is None


class BatchParams(Params):
    n_rollouts: int
    batch: int

    @model_validator(mode="after")
    def _divides(self) -> BatchParams:
        if self.batch % self.n_rollouts:
            raise ValueError(f"batch {self.batch} is no multiple of n_rollouts {self.n_rollouts}")
        return self


def test_missing_fields_and_rules_between_fields_are_told_too(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast(dict[str, type[Params]], SCHEMAS), NAME, BatchParams)
    file = home.params_file(NAME, "smoke")
    file.write_text("profile: smoke\nbatch: 6\n")
    shown = f"params/smoke/{NAME}.yaml"
    assert problems(home, profile="smoke") == [f"{shown}: n_rollouts is missing"]
    told = problems(home, profile="smoke", options=[("n_rollouts", "4")])
    assert told == ["-p n_rollouts: batch 6 is no multiple of n_rollouts 4"]


def test_the_files_in_the_repository_are_valid() -> None:
    root = Path(__file__).parents[2]
    home = Home(root, root / "outputs")
    for path in sorted((root / "params").glob("*/*.yaml")):
        assert resolve(path.stem, home=home, profile=path.parent.name).profile == path.parent.name


@pytest.mark.parametrize("values", [{"solvers": ("desk-solver-s", "desk-solver-q")}, {"orchestrator": "desk-solver-q"}])
def test_a_misspelt_desk_model_is_told_with_those_there_are(values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"no desk model 'desk-solver-q'.*desk-solver-s"):
        SCHEMAS["03_desk_models"].model_validate(values)


def test_a_desk_model_in_a_folder_is_looked_for_later() -> None:
    assert SCHEMAS["03_desk_models"].model_validate({"solvers": ("a/model",)}) is not None
