"""Models of several configs: a language model and the parts next to it, such as towers, in one model.

A family of a joining architecture says with its hint `parts` which fields hold configs of parts, and the prefix of
their dimensions: `{ vision_config = "vision" }`. Each part has a family of its own, by its type, whose `values` are
formulas of the part's fields, and of what its hint `let` names before them. Those of the model are formulas of its own
fields, of the fields and dimensions of its parts under their prefix, and of the language model's under `text_`; its
`counted_class_is_llavamodel` is 1 where that class is counted. See `facts` for what formulas may name. The hint `types`
names the type of a part whose config has none, and `inner` the prefixes of parts whose values are not dimensions: only
formulas of the model read them. See `lifting` for the hint `lifted`. The hint `fits`, of models and of parts, is like
checks, of which one that fails is a note: the class runs text, but nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from flopsheet.accounting.line import NOTHING, Family, Reading
from flopsheet.configs.classes import ClassTable, class_table, complete_family, part_fields
from flopsheet.configs.completing import check_hints
from flopsheet.configs.facts import Facts, compute_values, find_broken, find_names, misfit_notes, misfits
from flopsheet.configs.field_types import refused_values
from flopsheet.configs.fields import STORAGE, unread
from flopsheet.configs.kinds import counted_class
from flopsheet.configs.lifting import lift
from flopsheet.configs.wrapper import TIED, is_flat, text_of
from flopsheet.errors import ConfigError, FlopsheetError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from flopsheet.configs.model import Model
    from flopsheet.host.host import Host

TEXT, COUNTED_CLASS = "text", "counted_class"
EMPTY = ClassTable("", {}, {}, {})


def read_joined(host: Host, config: Mapping[str, Any], family: Family, read_text: Callable[..., Model]) -> Model:
    """Return the model of a config with parts; what cannot be read is an error of the model."""
    try:
        if problems := refused_values(family.model_type, config):
            raise ConfigError(problems[0])
        reader = _Reader(host, family, config)
        text = read_text(reader.text_config())
        if text.errors:
            return replace(text, model_type=family.model_type)
        return reader.model(text)
    except FlopsheetError as error:
        from flopsheet.configs.model import Model  # noqa: PLC0415 - imported for types otherwise

        return Model(name="", model_type=family.model_type, errors=(str(error),))


class _Reader:
    """One config with parts while it is read: its facts, the dimensions found, and what is to be said."""

    def __init__(self, host: Host, family: Family, config: Mapping[str, Any]) -> None:
        self.host, self.family = host, _whole(host, family)
        self.config, self.table = lift(self.family, config, class_table(family.like or family.model_type) or EMPTY)
        self.reading = Reading()
        self.facts = Facts(_fields(self.family, self.config, self.table) | {COUNTED_CLASS: self._counted_class()})
        check_hints(self.family, self.facts.fields)

    def text_config(self) -> dict[str, Any]:
        """Return the language model's config, whose head is tied as the whole model's class ties it.

        How the weights are stored is read of the whole model.
        """
        if "parts" not in self.family.hints:
            raise ConfigError(f"{self.family.model_type} is a part of multimodal models, not a model of its own")
        text = {name: value for name, value in self._text().items() if name not in STORAGE}
        is_tied = self.config.get(TIED, self.table.defaults.get(TIED, False))
        if self.family.hints.get("tie") == "text" or (self.family.hints.get("tie") == "either" and not is_tied):
            inner = class_table(str(text.get("model_type"))) or EMPTY
            is_tied = text.get(TIED, inner.defaults.get(TIED, False))
        if self.family.hints.get("tie") == "must" and not is_tied:
            self.reading.problems.append(f"{TIED} = False: the class then builds a head of other sizes than the table")
        is_tied = is_tied and self.family.hints.get("tie") != "never"
        return {**text, TIED: bool(is_tied), "architectures": self._text_class(text["model_type"])}

    def _text(self) -> dict[str, Any]:
        return text_of(self.config, self.table, self.family)

    def _text_class(self, model_type: str) -> list[str]:
        """Return the class that is counted of the language model: the one with a head, which the model's own has."""
        entry = self.host.families.get(model_type)
        return [] if entry is None else list(complete_family(self.host.family(model_type), (), ()).classes)[:1]

    def model(self, text: Model) -> Model:
        """Return the language model with its parts."""
        own = self._text()
        defaults = (class_table(own["model_type"]) or EMPTY).defaults
        numbers = {key: value for key, value in {**text.fields, **text.given}.items() if key != TIED}
        self.facts.add(TEXT, {"hidden_size": numbers.get("d_model", 0), **numbers}, {**defaults, **own})
        for key, prefix in self.family.hints["parts"].items():
            self._read_part(key, prefix)
        if failures := find_broken(self.family, self.facts, self.family.model_type):
            raise ConfigError("; ".join(failures))
        values = compute_values(self.family, self.facts, self.family.model_type)
        self.reading.notes += misfits(self.family, self.facts, self.family.model_type)
        self._read_more(self.facts.fields, self.family, "", values)
        self.reading.values |= values
        self._refuse_uncounted(self.family, self.family.model_type)
        class_values = self._class()
        model = replace(
            text,
            model_type=self.family.model_type,
            architecture=self.host.join(text.architecture, self.family.architecture),
            given={**text.given, **self.reading.values},
            defaults={**text.defaults, **class_values},
            problems=tuple(dict.fromkeys((*text.problems, *self.reading.problems, *self._unread()))),
            notes=(*text.notes, *self.reading.notes),
        )
        return self._stored(model, {**defaults, **own})

    def _stored(self, model: Model, text: Mapping[str, Any]) -> Model:
        """Return the model with how its checkpoint stores the weights; `text` is the language model's config."""
        if not any(text.get(name) for name in STORAGE):
            return model
        from flopsheet.configs.quantization_config import with_storage  # noqa: PLC0415 - few configs are of quantized weights
        from flopsheet.configs.tower_storage import tower_problems  # noqa: PLC0415

        problems = (*model.problems, *tower_problems(self.host, self.config, self.family.model_type, model.given))
        return with_storage(self.host, replace(model, problems=problems), text)

    def _read_part(self, key: str, prefix: str) -> None:
        """Compute the dimensions of one part; one of a type that nobody reads is a problem."""
        part, part_type = self._part(key)
        if part is None:
            self.facts.add(prefix, {}, {}, absent=True)
            return
        entry = self.host.families.get(part_type)
        if entry is None or entry[0].architecture != self.family.architecture:
            self.reading.problems.append(f"{key}: {part_type or 'its type'} is not counted: no plugin reads it")
            return
        family = _whole(self.host, self.host.family(part_type))
        fields = _rename_fields(family, part)
        facts = Facts(_fields(family, part, class_table(part_type) or EMPTY) | {"model_type": part_type})
        check_hints(family, facts.fields)
        if failures := find_broken(family, facts, key):
            raise ConfigError("; ".join(f"{key}: {sentence}" for sentence in failures))
        values = compute_values(family, facts, key)
        self.reading.notes += misfits(family, facts, key)
        self._read_more(facts.fields, family, prefix, values)
        if prefix not in self.family.hints.get("inner", ()):
            self.reading.values |= {f"{prefix}_{name}": value for name, value in values.items()}
        self.facts.add(prefix, {**facts.numbers(), **values}, facts.fields)
        problems = unread(fields, _read_by(family), family, is_part=True)
        self.reading.problems += [f"{key}: {problem}" for problem in problems]
        self._refuse_uncounted(family, key)

    def _part(self, key: str) -> tuple[Mapping[str, Any] | None, str]:
        """Return the config of a part and its type, as the class makes them; None where there is no such part."""
        declaration, config = self.table.parts.get(key, NOTHING), self.config.get(key)
        if config is None and declaration.get("optional"):
            return None, ""
        part = part_fields(key, declaration, config)
        default = str(declaration.get("type") or self.family.hints.get("types", NOTHING).get(key, ""))
        return part, default if declaration.get("fixed") else str(part.get("model_type") or default)

    def _read_more(self, fields: Mapping[str, Any], family: Family, prefix: str, values: dict[str, Any]) -> None:
        """Add what the architecture's own code reads of a config that formulas cannot say."""
        read = self.host.joining[self.family.architecture][0].read
        if read is None:
            return
        try:
            more = read(fields, family)
        except ValueError as error:
            raise ConfigError(f"{prefix}: {error}" if prefix else str(error)) from None
        except (TypeError, LookupError, ArithmeticError) as error:
            where = prefix or "the config"
            raise ConfigError(f"{where} cannot be read: {type(error).__name__}: {error}") from None
        values |= more.values
        self.reading.problems += more.problems
        self.reading.notes += [*more.notes, *misfit_notes(more.misfits)]

    def _refuse_uncounted(self, family: Family, where: str) -> None:
        if reason := family.hints.get("uncounted"):
            self.reading.problems.append(f"{where}: {reason}")

    def _class(self) -> Mapping[str, float | str]:
        """Return the dimension values that the counted class fixes."""
        choice = counted_class(self.family, self._named_class(), is_borrowed=False)
        self.reading.problems += choice.problems
        self.reading.notes += choice.notes
        return choice.values

    def _named_class(self) -> Any:
        """Return the config's `architectures`, the first in the family's own spelling: models differ in capitals."""
        named_classes = self.config.get("architectures")
        if not isinstance(named_classes, list) or not named_classes:
            return named_classes
        names = {_fold_name(name): name for name in self.family.classes}
        return [names.get(_fold_name(named_classes[0]), named_classes[0])]

    def _counted_class(self) -> str | None:
        """Return the name of the class that is counted: the one that is named, or the type's first."""
        named_classes = self._named_class()
        first = named_classes[0] if isinstance(named_classes, list) and named_classes else None
        names = list(self.family.classes)
        return first if first in names else next(iter(names), None)

    def _unread(self) -> list[str]:
        """Return a problem for each field next to the parts that nothing reads and that could change the count."""
        if is_flat(self.config):
            return []
        own = _rename_fields(self.family, self.config)
        known_fields = {*_read_by(self.family), *self.family.hints["parts"], *self.table.parts, TIED}
        beside = {
            key: value for key, value in own.items() if not key.endswith(("_token_id", "_token_index", "_token_ids"))
        }
        return unread(beside, known_fields, self.family)


def _whole(host: Host, family: Family) -> Family:
    """Return a family with its class table, and with what the family of its hint `like` says where it is silent."""
    own = family
    while like := own.hints.get("like"):
        own = host.family(like)
        family = family._replace(
            values={**own.values, **family.values},
            irrelevant=(*own.irrelevant, *family.irrelevant),
            hints={**own.hints, **family.hints},
            defaults={**own.defaults, **family.defaults},
            rename={**own.rename, **family.rename},
            checks={**own.checks, **family.checks},
        )
    return complete_family(family, _read_by(family), family.irrelevant)


def _fold_name(name: Any) -> str:
    return str(name).replace("_", "").casefold()


def _rename_fields(family: Family, config: Mapping[str, Any]) -> dict[str, Any]:
    return {family.rename.get(name, name): value for name, value in config.items()}


def _fields(family: Family, config: Mapping[str, Any], table: ClassTable) -> dict[str, Any]:
    """Return a config's fields with the defaults of its class; what the class leaves open is null."""
    return {**dict.fromkeys(table.defaults), **family.defaults, **_rename_fields(family, config)}


def _read_by(family: Family) -> set[str]:
    """Return the fields that a family's formulas, its irrelevant list and its hint `reads` name."""
    let = family.hints.get("let", NOTHING)
    texts = [*map(str, family.values.values()), *map(str, let.values())]
    own = find_names(texts) - family.values.keys() - let.keys() - {COUNTED_CLASS}
    return {*own, *family.irrelevant, *family.hints.get("reads", ()), "model_type"}
