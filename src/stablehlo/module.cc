// How the importer asks a module (module.h): names of types, and the forms that attributes have had.
#include "stablehlo/module.h"

#include <algorithm>

namespace ingot::stablehlo {
namespace {

struct ElementName {
  std::string_view name;
  DType dtype;
};
constexpr ElementName kElementNames[] = {{"i1", DType::kPred},
                                         {"i8", DType::kS8},
                                         {"i16", DType::kS16},
                                         {"i32", DType::kS32},
                                         {"i64", DType::kS64},
                                         {"si8", DType::kS8},
                                         {"si16", DType::kS16},
                                         {"si32", DType::kS32},
                                         {"si64", DType::kS64},
                                         {"ui8", DType::kU8},
                                         {"ui16", DType::kU16},
                                         {"ui32", DType::kU32},
                                         {"ui64", DType::kU64},
                                         {"f16", DType::kF16},
                                         {"bf16", DType::kBF16},
                                         {"f32", DType::kF32},
                                         {"f64", DType::kF64},
                                         {"index", DType::kS64},
                                         {"complex<f32>", DType::kC64},
                                         {"complex<f64>", DType::kC128},
                                         {"f8E4M3FN", DType::kF8E4M3FN},
                                         {"f8E5M2", DType::kF8E5M2},
                                         {"f8E4M3", DType::kF8E4M3},
                                         {"f8E4M3B11FNUZ", DType::kF8E4M3B11FNUZ},
                                         {"f8E4M3FNUZ", DType::kF8E4M3FNUZ},
                                         {"f8E5M2FNUZ", DType::kF8E5M2FNUZ},
                                         {"f8E3M4", DType::kF8E3M4},
                                         {"f8E8M0FNU", DType::kF8E8M0FNU},
                                         {"f6E2M3FN", DType::kF6E2M3FN},
                                         {"f6E3M2FN", DType::kF6E3M2FN},
                                         {"f4E2M1FN", DType::kF4E2M1FN},
                                         {"i4", DType::kS4},
                                         {"si4", DType::kS4},
                                         {"ui4", DType::kU4},
                                         {"i2", DType::kS2},
                                         {"si2", DType::kS2},
                                         {"ui2", DType::kU2}};

std::string join(const std::vector<const Type*>& types) {
  std::string text;
  for (const Type* type : types) text += (text.empty() ? "" : ", ") + to_string(*type);
  return text;
}

bool all_same(const std::vector<const Type*>& a, const std::vector<const Type*>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Type* x, const Type* y) { return same(*x, *y); });
}

}  // namespace

bool Type::is_static() const {
  return is_tensor() && ranked && std::find(shape.begin(), shape.end(), kDynamic) == shape.end();
}

std::optional<DType> dtype_of(const Type& type) {
  if (type.kind != Type::Kind::kTensor && type.kind != Type::Kind::kScalar) return {};
  for (const ElementName& known : kElementNames) {
    if (known.name == type.element) return known.dtype;
  }
  return {};
}

std::string to_string(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kTensor: {
      std::string text = "tensor<";
      if (!type.ranked) text += "*x";
      for (int64_t extent : type.shape) {
        text += (extent == Type::kDynamic ? "?" : std::to_string(extent)) + "x";
      }
      return text + type.element + ">";
    }
    case Type::Kind::kTuple:
      return "tuple<" + join(type.parts) + ">";
    case Type::Kind::kToken:
      return "!stablehlo.token";
    case Type::Kind::kFunction: {
      const bool bare = type.results.size() == 1 && type.results[0]->kind != Type::Kind::kFunction;
      return "(" + join(type.parts) + ") -> " +
             (bare ? to_string(*type.results[0]) : "(" + join(type.results) + ")");
    }
    case Type::Kind::kScalar:
    case Type::Kind::kOther:
      break;
  }
  return type.element;
}

bool same(const Type& a, const Type& b) {
  return &a == &b || (a.kind == b.kind && a.element == b.element && a.shape == b.shape &&
                      a.ranked == b.ranked && all_same(a.parts, b.parts) && all_same(a.results, b.results));
}

Attribute Attribute::dictionary(Attributes items) {
  return Data(std::make_shared<const Attributes>(std::move(items)));
}
Attribute Attribute::record(std::string kind, Attributes fields) {
  return Data(std::make_shared<const Record>(Record{std::move(kind), std::move(fields)}));
}
Attribute Attribute::elements(Elements elements) {
  return Data(std::make_shared<const Elements>(std::move(elements)));
}

const Attribute* find(const Attributes& attributes, std::string_view name) {
  for (const auto& [own, attribute] : attributes) {
    if (own == name) return &attribute;
  }
  return nullptr;
}

std::optional<Ints> ints(const Attribute& attribute) {
  if (const auto* list = attribute.as<Ints>()) return *list;
  if (const auto* array = attribute.as<Attribute::Array>()) {
    Ints list;
    for (const Attribute& item : *array) {
      const std::optional<int64_t> value = integer(item);
      if (!value) return {};
      list.push_back(*value);
    }
    return list;
  }
  if (const auto* elements = attribute.as<Elements>()) {
    const DType dtype = elements->values.dtype();
    if (!elements->type->is_static() || !(is_integer(dtype) || dtype == DType::kPred)) return {};
    constexpr int64_t kMostRepeated = 1 << 12;  // a splat's few bytes may say any number: no list is longer
    const int64_t count = element_count(elements->type->shape);
    if (elements->splat ? count > kMostRepeated : count != elements->values.size()) return {};
    Ints list;
    for (int64_t i = 0; i < count; ++i) list.push_back(elements->values.get_int(elements->splat ? 0 : i));
    return list;
  }
  return {};
}

std::optional<int64_t> integer(const Attribute& attribute) {
  if (const auto* number = attribute.as<Integer>()) return number->value;
  if (const auto* flag = attribute.as<bool>()) return *flag ? 1 : 0;
  if (attribute.as<Elements>()) {
    const std::optional<Ints> list = ints(attribute);
    if (list && list->size() == 1) return list->front();
  }
  return {};
}

std::optional<std::string> word(const Attribute& attribute) {
  if (const auto* value = attribute.as<Enum>()) return value->value;
  if (const auto* text = attribute.as<std::string>()) return *text;
  if (const auto* symbol = attribute.as<Symbol>()) return symbol->name;
  return {};
}

const Type* Module::tensor(std::string element, Shape shape) {
  Type type;
  type.kind = Type::Kind::kTensor;
  type.element = std::move(element);
  type.shape = std::move(shape);
  return add(std::move(type));
}

Function* Module::find(std::string_view function_name) {
  for (Function& function : functions) {
    if (function.name == function_name) return &function;
  }
  return nullptr;
}

}  // namespace ingot::stablehlo
