#include "io/text_graph_printer.h"

#include "io/json_respace.h"
#include "io/json_text.h"

#include <algorithm>

namespace sdfgopt::io {

using ir::Descriptor;
using ir::DescriptorKind;

namespace {

std::string json_string(std::string_view text) {
  std::string out;
  append_quoted(out, text);
  return out;
}

std::string_view descriptor_word(const Descriptor &descriptor) {
  const std::string_view type = descriptor.type.view();
  if (type == "Array")
    return "array";
  if (type == "Scalar")
    return "scalar";
  if (type == "ArrayView")
    return "view";
  if (type == "ArrayReference")
    return "reference";
  return type == "Stream" ? "stream" : "";
}

} // namespace

TextGraphPrinter::Level::Level(TextGraphPrinter &printer) : printer_(printer) {
  if (printer.levels_ >= max_text_nesting)
    throw TextPrintLimit();
  ++printer.levels_;
}

// --- numbers of control-flow graphs, in the order of DaCe's files

void TextGraphPrinter::number(const ir::Sdfg &sdfg) {
  graph_numbers_[&sdfg] = next_graph_++;
  number(sdfg.root);
}

void TextGraphPrinter::number(const ir::Region &region) {
  for (const ir::Block &block : region.blocks) {
    if (const auto *state = block.as<ir::State>()) {
      for (const ir::Node &node : state->nodes)
        if (const auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg)
          number(*nested->sdfg);
    } else if (const auto *conditional = block.as<ir::ConditionalBlock>()) {
      graph_numbers_[&block] = next_graph_++;
      for (const ir::Branch &branch : conditional->branches) {
        graph_numbers_[&branch.container] = next_graph_++;
        number(branch.body);
      }
    } else if (!block.is<ir::Jump>() && !block.is<ir::UnknownBlock>()) {
      graph_numbers_[&block] = next_graph_++;
      for (const ir::Region *child : ir::child_regions(block))
        number(*child);
    }
  }
}

// --- SDFGs ---------------------------------------------------------------------------------------

std::string TextGraphPrinter::print_root() {
  number(document_.root);
  out_ += "sdfg " + spell_optional(document_.root.name) + " version ";
  out_ += document_.dace_version.empty() ? "none" : json_string(document_.dace_version);
  print_sdfg(document_.root);
  out_ += '\n';
  return std::move(out_);
}

/// From the opening to the closing brace.
void TextGraphPrinter::print_sdfg(ir::Sdfg &sdfg) {
  out_ += " {\n";
  {
    const Level level(*this);
    print_container(sdfg, standard_sdfg(sdfg));
    print_declarations(sdfg);
    print_region(sdfg.root, false);
  }
  out_ += indent() + "}";
}

TextGraphPrinter::Standard TextGraphPrinter::standard_sdfg(const ir::Sdfg &sdfg) {
  const bool root = &sdfg == &document_.root;
  Standard standard;
  standard.order = sdfg_key_order();
  standard.attribute_order = sdfg_attribute_key_order();
  standard.members = {{"type", "\"SDFG\""},
                      {"collapsed", "false"},
                      {"label", "\"\""},
                      {"id", "null"},
                      {"cfg_list_id", std::to_string(graph_numbers_[&sdfg])},
                      {"start_block", start_text(sdfg.root)}};
  standard.remembered = {"cfg_list_id"};
  if (root && !document_.dace_version.empty()) {
    standard.members.emplace_back("dace_version", json_string(document_.dace_version));
    standard.remembered.emplace_back("dace_version");
  }
  standard.typed = {"name", "arg_names", "_arrays", "symbols"};
  standard.needed_attributes = {"name", "global_code", "init_code", "exit_code"};
  if (!sdfg.arg_names.empty())
    standard.needed_attributes.emplace_back("arg_names");
  if (!sdfg.arrays.empty())
    standard.needed_attributes.emplace_back("_arrays");
  if (!sdfg.symbols.empty())
    standard.needed_attributes.emplace_back("symbols");
  for (const char *key : {"global_code", "init_code", "exit_code"})
    standard.attributes.emplace_back(key, R"({"frame":{"string_data":"","language":"CPP"}})");
  if (root) {
    standard.needed_attributes.emplace_back("hash");
    if (full_)
      standard.attributes.emplace_back("hash", json_string(sdfg_hash(sdfg.source)));
  }
  return standard;
}

void TextGraphPrinter::print_declarations(ir::Sdfg &sdfg) {
  for (Descriptor &descriptor : sdfg.arrays)
    print_descriptor(descriptor);
  for (const auto &[name, dtype] : sdfg.symbols)
    line("symbol " + spell_name(name.view()) + ": " + spell_json(dtype));
  if (sdfg.arg_names.empty())
    return;
  std::string text = "args ";
  std::size_t width = 0;
  for (std::size_t i = 0; i < sdfg.arg_names.size(); ++i) {
    const std::string name = spell_name(sdfg.arg_names[i].view(), true);
    if (i > 0)
      text += ',';
    if (i > 0 && width > 80) {
      text += '\n' + indent() + "    ";
      width = 0;
    } else if (i > 0) {
      text += ' ';
    }
    text += name;
    width += name.size() + 2;
  }
  line(text);
}

// --- descriptors ---------------------------------------------------------------------------------

void TextGraphPrinter::print_descriptor(Descriptor &descriptor) {
  if (descriptor.kind == DescriptorKind::Unknown) {
    line("data json " + spell_name(descriptor.name.view(), true) + " " +
         std::string(descriptor.source));
    return;
  }
  std::string text = descriptor.transient ? "transient " : "";
  const std::string_view word = descriptor_word(descriptor);
  text += word.empty() ? "data " + spell_name(descriptor.type.view()) : std::string(word);
  text += " " + spell_name(descriptor.name.view(), true);
  if (!descriptor.dtype.empty() || descriptor.kind != DescriptorKind::Structure)
    text += ": " + spell_json(descriptor.dtype_or_default());
  const bool unit_scalar = descriptor.kind == DescriptorKind::Scalar &&
                           descriptor.shape.size() == 1 && descriptor.shape[0].text() == "1";
  if (!unit_scalar && !(descriptor.shape.empty() && descriptor.kind != DescriptorKind::Scalar))
    text += spelling_.expressions(descriptor.shape);
  text += descriptor_options(descriptor);
  line(text + with_space(extras_.of_descriptor(descriptor)));
}

std::string TextGraphPrinter::descriptor_options(const Descriptor &descriptor) {
  std::vector<ir::Expression> strides;
  std::vector<ir::Expression> offset;
  ir::Expression total_size;
  if (descriptor.kind == DescriptorKind::Array || descriptor.kind == DescriptorKind::View ||
      descriptor.kind == DescriptorKind::Reference) {
    strides = rules_.strides(descriptor.shape);
    total_size = rules_.total_size(descriptor.shape, descriptor.strides);
    offset = rules_.offset(descriptor.shape);
  }
  const auto list = [&](const char *word, const std::vector<ir::Expression> &values) {
    return word + (values.empty() ? std::string("none") : spelling_.expressions(values));
  };
  std::string text;
  if (descriptor.strides != strides)
    text += list(" strides ", descriptor.strides);
  if (descriptor.total_size != total_size)
    text += " total_size " + (descriptor.total_size ? spelling_.expression(descriptor.total_size,
                                                                           ExpressionEnd::Space)
                                                    : std::string("none"));
  if (descriptor.offset != offset)
    text += list(" offset ", descriptor.offset);
  if (!descriptor.storage.empty())
    text += " storage " + spell_json(descriptor.storage);
  if (!descriptor.lifetime.empty())
    text += " lifetime " + spell_json(descriptor.lifetime);
  if (descriptor.may_alias)
    text += " may_alias";
  return text;
}

} // namespace sdfgopt::io
