// The reader of MLIR text, for the files that implement it. One object reads one text:
//
// - text_reader.cc: the module, functions, operations in generic form, regions and names
// - text_pretty.cc: operations in a form of their own, which pretty_forms.cc describes in a table
// - text_attributes.cc, text_types.cc, text_elements.cc, text_locations.cc: what their names say
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stablehlo/module.h"
#include "stablehlo/pretty_forms.h"
#include "stablehlo/scanner.h"

namespace ingot::stablehlo {

class TextReader {
 public:
  TextReader(std::string_view text, std::string_view file);
  std::unique_ptr<Module> read();
  // The attribute that the text is, with types of the module.
  Attribute read_attribute(std::unique_ptr<Module>& module);

 private:
  // How deep the reader is in brackets of its own; an Error beyond kMostNested.
  class Level {
   public:
    explicit Level(TextReader& reader);
    ~Level() { --reader_->depth_; }

   private:
    TextReader* reader_;
  };
  // What stands for an alias, written out: how deep it is, and how many types and attributes it has.
  struct Extent {
    int depth = 0;
    uint64_t parts = 0;
  };
  template <class T>
  struct Alias {
    T value;
    Extent extent;
  };
  template <class Read>
  auto measured(const Read& read) -> Alias<decltype(read())>;
  void pay(const Extent& extent, size_t position);

  // --- types (text_types.cc)
  const Type* type();
  const Type* parse_type();
  const Type* scalar_type(std::string element);
  const Type* tensor_type();
  std::string element_type();
  std::vector<const Type*> type_list();          // a, b, c
  std::vector<const Type*> types_in_brackets();  // (a, b, c), perhaps none
  std::vector<const Type*> result_types();       // a, or (a, b)
  struct Signature {
    std::vector<const Type*> from, to;
  };
  Signature signature();  // (a, b) -> c
  const Type* function_type(Signature signature);

  // --- attributes (text_attributes.cc)
  Attribute attribute();
  Attribute number_attribute();
  Attribute array_attribute();  // [a, b] behind its [
  Attribute dense_array();      // array<i64: 1, 2> behind its word
  Attribute dialect_attribute();
  Attribute record_attribute(std::string kind);  // key = value, ... > behind its <
  Attribute record_value();
  Attribute raw_convolution();
  Attribute convolution_dims();  // [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]
  void set(Attributes& attributes, std::string name, Attribute value, size_t position);
  void dictionary(Attributes& attributes);           // {a = 1, b}, whole
  void optional_dictionary(Attributes& attributes);  // the same, if there is one
  Ints int_list(std::string_view what);              // [1, 2]
  bool boolean(std::string_view what);

  // --- constants (text_elements.cc)
  Attribute dense();  // dense<...> : type, behind its word
  Elements elements_of(const Type& type, std::string_view body, size_t start);
  Tensor from_bytes(const Type& type, size_t start);
  void fill(Tensor& tensor, const Shape& shape, size_t dim, int64_t& next);
  void element(Tensor& tensor, int64_t index);
  void float_element(Tensor& tensor, int64_t index, DType dtype);
  double real_number(DType dtype);

  // --- locations (text_locations.cc)
  const Location* optional_location();  // loc(...), or null
  const Location* location();           // what stands within loc( )
  Location location_itself();           // the same; of an alias or a loc( ) within it, one of that part alone
  const Location* location_alias(std::string_view name, size_t position);
  // The alias of a location that comes next and has been defined, or null.
  struct LocationAlias;
  const LocationAlias* sees_location();
  void define_location(std::string_view name, Location location, std::string_view text, size_t position);
  void check_locations();

  // --- operations (text_reader.cc)
  struct Named {
    ValueId first = 0;
    int count = 0;  // %x#0, %x#1, ...
  };
  struct Use {
    std::string_view name;
    ValueId id = 0;
    size_t position = 0;
  };
  struct ResultName {
    std::string_view name;
    int count = 1;
    size_t position = 0;
  };
  // Names that are defined from here on go when it ends.
  class Scope {
   public:
    explicit Scope(TextReader& reader) : reader_(&reader), mark_(reader.hidden_.size()) {}
    ~Scope();

   private:
    TextReader* reader_;
    size_t mark_;
  };

  void module_body(char close);
  bool module_item();
  void alias();
  void named_module();
  void function(size_t start);  // behind its word

  void generic_module_item();
  void add_function(Function function, size_t position);
  Function generic_function(const Operation& operation, size_t position);
  struct Argument {
    std::string_view name;
    const Type* type = nullptr;
    Attributes attributes;
    const Location* location = nullptr;
    size_t position = 0;
  };
  Argument argument(bool with_attributes);  // %x: type {attributes} loc(...)
  ValueId add_argument(const Argument& argument);

  Operation operation();
  void generic_form(Operation& operation, std::vector<const Type*>& results);
  void generic_regions(Operation& operation);
  // { operations } behind its {, or with the header of a block first. `arguments` are those that a pretty
  // form has named.
  Region region(const std::vector<Argument>& arguments);
  void operations_until_close(Region& region);
  Use use(bool numbered = true);
  std::vector<Use> uses_until(char close);  // %a, %b and the bracket
  void define(std::string_view name, ValueId first, int count, size_t position);
  void define_results(Operation& operation, const std::vector<ResultName>& names,
                      const std::vector<const Type*>& types, size_t position);
  void set_operands(Operation& operation, const std::vector<Use>& uses, const std::vector<const Type*>& types,
                    size_t position);
  const Type* type_of(const Use& use) const { return function_->values[static_cast<size_t>(use.id)].type; }

  // --- pretty forms (text_pretty.cc)
  struct Pretty {  // an operation whose form is being read
    Operation* operation;
    std::vector<Use> uses;
    std::vector<const Type*> results;
    size_t position;
  };
  void pretty_form(Operation& operation, std::vector<const Type*>& results, size_t position);
  void follow(const std::vector<FormToken>& tokens, size_t from, size_t to, Pretty& pretty);
  Attribute pretty_attribute(const FormToken& token);
  void types_of(const FormToken& token, Pretty& pretty);
  void same_types(Pretty& pretty);
  void custom_part(const FormToken& token, Pretty& pretty);
  void constant_form(Pretty& pretty);
  void expected_constant(Pretty& pretty);
  void slice_ranges(Pretty& pretty);
  void dot_dims(Pretty& pretty);
  void dot_precision(Pretty& pretty);
  void convolution_window(Pretty& pretty);
  void reduce_form(Pretty& pretty);
  void reduce_region(Pretty& pretty, std::string inner);
  void while_form(Pretty& pretty);
  void barrier_form(Pretty& pretty);
  void scan_form(Pretty& pretty);

  Scanner scanner_;
  std::unique_ptr<Module> module_;
  Function* function_ = nullptr;  // whose values are being made
  int depth_ = 0, deepest_ = 0;
  int dictionaries_ = 0;  // around an attribute that is being read, beside the one of an operation
  uint64_t parts_ = 0;    // types and attributes read so far, aliases written out
  std::unordered_map<std::string_view, Named> names_;
  std::vector<std::pair<std::string_view, Named>> hidden_;  // what names stood for outside (count 0: nothing)
  std::unordered_map<std::string_view, const Type*> types_;  // by their text
  std::unordered_map<std::string_view, Alias<const Type*>> type_aliases_;
  std::unordered_map<std::string_view, Alias<Attribute>> attribute_aliases_;
  struct LocationAlias {
    Location* location;
    size_t position;  // of its first use
    bool defined = false;
    std::string_view text = {};  // loc(...), as it is defined
  };
  std::unordered_map<std::string_view, LocationAlias> location_aliases_;
  std::unordered_map<std::string, int> functions_;
};

}  // namespace ingot::stablehlo
