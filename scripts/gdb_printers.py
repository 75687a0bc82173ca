"""Shows Ingot's types in GDB as the IR text writes them.

    (gdb) source scripts/gdb_printers.py
    (gdb) p *op             ->  %s = add(%p, %z) : f32[1000]
    (gdb) p value->type_    ->  f32[1000]

Covers DType, TensorType, Index, Value, Op, Region and Tensor. Everything is read from memory, nothing is
called, so the printers work in core dumps too. For whole programs a live process has `call op->dump()`.

It leans on GDB's own printers for the standard library (libstdc++) only to walk vectors, lists and strings.
"""

import gdb
import gdb.printing
import gdb.types

MAX_OPS = 50  # of a region
DTYPE_NAMES = {}  # by number; filled at the first question


def vector(value):
    """The elements of a std::vector."""
    at, end = value["_M_impl"]["_M_start"], value["_M_impl"]["_M_finish"]
    while at != end:
        yield at.dereference()
        at += 1


def string(value):
    """The text of a std::string or std::string_view."""
    if gdb.types.has_field(value.type.strip_typedefs(), "_M_str"):
        return value["_M_str"].string(length=int(value["_M_len"]))
    return value["_M_dataplus"]["_M_p"].string(length=int(value["_M_string_length"]))


def pointee(value):
    """What a std::unique_ptr points to: the one pointer in it, as its tuple also holds the deleter."""
    if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        return value.dereference()
    for member in value.type.strip_typedefs().fields():
        found = pointee(value[member])
        if found is not None:
            return found
    return None


def nodes(value):
    """The elements of a std::list."""
    element = value.type.strip_typedefs().template_argument(0)
    node_type = gdb.lookup_type(f"std::_List_node<{element}>").pointer()
    head = value["_M_impl"]["_M_node"]
    at = head["_M_next"]
    while at != head.address:
        yield at.cast(node_type).dereference()["_M_storage"].address.cast(element.pointer()).dereference()
        at = at["_M_next"]


def dtype_text(value):
    # By number: asking GDB for the enumerator's name would come back to our own printer.
    if not DTYPE_NAMES:
        for member in gdb.lookup_type("ingot::DType").fields():
            DTYPE_NAMES[int(member.enumval)] = member.name.rsplit("::k", 1)[-1].lower()
    return DTYPE_NAMES.get(int(value), f"<bad dtype {int(value)}>")


def shape_text(value):
    return "[" + ",".join(str(int(extent)) for extent in vector(value)) + "]"


def type_text(value):
    return dtype_text(value["dtype"]) + shape_text(value["shape"])


def value_text(value):
    return f"%{string(value['name_'])}: {type_text(value['type_'])}"


def op_text(op):
    results = [pointee(r) for r in vector(op["results_"])]
    operands = [o.dereference() for o in vector(op["operands_"])]
    record = op["record_"].dereference()
    text = ", ".join("%" + string(r["name_"]) for r in results)
    text += (" = " if text else "") + string(record["name"]["value_"])
    text += "(" + ", ".join("%" + string(o["name_"]) for o in operands) + ")"
    regions = len(list(vector(op["regions_"])))
    if regions:
        text += f" {{{regions} region{'s' if regions > 1 else ''}}}"
    if results:
        text += " : " + ", ".join(type_text(r["type_"]) for r in results)
    place = op["provenance_"]
    if string(place["file"]):
        text += f" at {string(place['file'])}:{int(place['line'])}"
    return text


def index_text(index):
    parts = []
    for term in vector(index["terms_"]):
        atom = term["atom"]["_M_ptr"].dereference()
        coefficient = int(term["coefficient"])
        parts.append(("" if coefficient == 1 else f"{coefficient}*") + atom_text(atom))
    constant = int(index["constant_"])
    if constant or not parts:
        parts.append(str(constant))
    return " + ".join(parts)


def atom_text(atom):
    kind = str(atom["kind"]).rsplit("::k", 1)[-1]
    if kind == "Variable":
        return f"v{int(atom['id'])}"
    argument = index_text(atom["argument"])
    if kind == "Lookup":
        return f"table[{argument}]"
    if " " in argument:
        argument = f"({argument})"
    return f"{argument} {'/' if kind == 'Div' else '%'} {int(atom['divisor'])}"


class TextPrinter:
    """Shows a value as one line of text."""

    def __init__(self, value, text):
        self.value, self.text = value, text

    def to_string(self):
        try:
            return self.text(self.value)
        except (gdb.MemoryError, gdb.error) as error:
            return f"<unreadable: {error}>"


class RegionPrinter:
    """Shows a region's arguments, and its operations as children."""

    def __init__(self, region):
        self.region = region

    def to_string(self):
        arguments = (value_text(pointee(a)) for a in vector(self.region["arguments_"]))
        return "region (" + ", ".join(arguments) + ")"

    def children(self):
        for number, op in enumerate(nodes(self.region["ops_"])):
            if number == MAX_OPS:
                yield "more", "..."
                return
            yield str(number), op_text(pointee(op))


def tensor_text(value):
    return dtype_text(value["dtype_"]) + shape_text(value["shape_"])


def text_printer(text):
    return lambda value: TextPrinter(value, text)


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("ingot")
    collection.add_printer("TensorType", "^ingot::ir::TensorType$", text_printer(type_text))
    collection.add_printer("Tensor", "^ingot::Tensor$", text_printer(tensor_text))
    collection.add_printer("Index", "^ingot::Index$", text_printer(index_text))
    collection.add_printer("Value", "^ingot::ir::Value$", text_printer(value_text))
    collection.add_printer("Op", "^ingot::ir::Op$", text_printer(op_text))
    collection.add_printer("Region", "^ingot::ir::Region$", RegionPrinter)
    return collection


class DTypePrinter(gdb.printing.PrettyPrinter):
    """Enumerations are no classes, so GDB's collection of class names does not see them."""

    def __init__(self):
        super().__init__("ingot-dtype")

    def __call__(self, value):
        if value.type.strip_typedefs().unqualified().name != "ingot::DType":
            return None
        return TextPrinter(value, dtype_text)


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
gdb.printing.register_pretty_printer(gdb.current_objfile(), DTypePrinter(), replace=True)
