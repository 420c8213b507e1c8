// Takes out the arrays and symbols that nothing mentions.
#include "support/words.h"
#include "verify/reducer_edits.h"

#include <algorithm>
#include <unordered_set>

namespace sdfgopt::verify::reducer {

namespace {

/// All words in what a document says other than by declaring it. Names that stand in typed places
/// (access nodes, memlets, connectors) count, and words in any text.
class Words {
public:
  explicit Words(ir::Document &document) {
    document.context.for_each_text([&](ir::Expression expression) { add(expression.text()); });
    for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) {
      add(sdfg);
      for (const ir::Descriptor &descriptor : sdfg.arrays)
        add(descriptor.source);
      for_each_region(sdfg.root, [&](ir::Region &region) { add(region); });
    });
  }

  [[nodiscard]] bool contain(support::Name name) const { return words_.contains(name.view()); }

private:
  void add(std::string_view text) {
    support::for_each_word(text, [&](std::string_view word) { words_.insert(word); });
  }

  /// A lambda's parameters are no names of the program.
  void add_lambda(std::string_view text) {
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
      return add(text);
    std::unordered_set<std::string_view> parameters;
    support::for_each_word(text.substr(0, colon),
                           [&](std::string_view word) { parameters.insert(word); });
    support::for_each_word(text.substr(colon), [&](std::string_view word) {
      if (!parameters.contains(word))
        words_.insert(word);
    });
  }

  void add(const std::optional<ir::Code> &code) {
    if (code)
      add(code->text);
  }

  void add(const ir::Container &container) {
    for (const auto *members : {&container.members, &container.attributes})
      for (const ir::Member &member : *members)
        add(member.value);
  }

  void add(const ir::Region &region) {
    for (const ir::InterstateEdge &edge : region.edges) {
      add(edge.condition);
      add(edge.source);
      for (const auto &[name, value] : edge.assignments)
        words_.insert(name.view());
    }
    for (const ir::Block &block : region.blocks) {
      add(static_cast<const ir::Container &>(block));
      if (const auto *loop = block.as<ir::LoopRegion>()) {
        words_.insert(loop->variable.view());
        for (const auto *code : {&loop->init, &loop->condition, &loop->update})
          add(*code);
      } else if (const auto *conditional = block.as<ir::ConditionalBlock>()) {
        for (const ir::Branch &branch : conditional->branches)
          add(branch.condition);
      } else if (const auto *state = block.as<ir::State>()) {
        add(*state);
      } else if (block.is<ir::UnknownBlock>()) {
        add(block.source);
      }
    }
  }

  void add(const ir::State &state) {
    for (const ir::Edge &edge : state.edges) {
      words_.insert(edge.memlet.data.view());
      words_.insert(edge.memlet.data.view().substr(0, edge.memlet.data.view().find('.')));
      add_lambda(edge.memlet.wcr);
      add(edge.source);
    }
    for (const ir::Node &node : state.nodes) {
      add(node.source);
      if (const auto *access = node.as<ir::AccessNode>()) {
        words_.insert(access->data.view());
        words_.insert(access->data.view().substr(0, access->data.view().find('.')));
      } else if (const auto *tasklet = node.as<ir::Tasklet>()) {
        add(tasklet->code.text);
      } else if (const auto *nested = node.as<ir::NestedSdfg>()) {
        for (const auto *connectors : {&node.in_connectors, &node.out_connectors})
          for (const ir::Connector &connector : *connectors)
            words_.insert(connector.name.view());
        for (const auto &[name, value] : nested->symbol_mapping)
          words_.insert(value.text());
      }
    }
  }

  std::unordered_set<std::string_view> words_;
};

} // namespace

/// Arrays, symbols, and entries of symbol mappings. A symbol that stands in an array's shape goes
/// when the array has gone, in the next round.
void drop_unused_names(ir::Document &document, Selection &selection) {
  const Words words(document);
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) {
    std::unordered_set<std::string_view> gone;
    for (ir::Descriptor &descriptor : sdfg.arrays)
      if (!words.contain(descriptor.name) && selection.next()) {
        descriptor.removed = true;
        gone.insert(descriptor.name.view());
      }
    for (const auto &[name, dtype] : sdfg.symbols)
      if (!words.contain(name) && selection.next())
        gone.insert(name.view());
    if (gone.empty())
      return;
    const auto is_gone = [&](support::Name name) { return gone.contains(name.view()); };
    std::erase_if(sdfg.arrays, [](const ir::Descriptor &descriptor) { return descriptor.removed; });
    std::erase_if(sdfg.symbols, [&](const auto &symbol) { return is_gone(symbol.first); });
    std::erase_if(sdfg.arg_names, is_gone);
    sdfg.index_arrays();
    sdfg.touch("symbols");
    sdfg.touch("arg_names");
  });
  for_each_sdfg(document.root, [&](ir::Sdfg &sdfg) {
    ir::for_each_state(sdfg.root, [&](ir::State &state, ir::Block &) {
      for (ir::Node &node : state.nodes)
        if (auto *nested = node.as<ir::NestedSdfg>(); nested && nested->sdfg)
          std::erase_if(nested->symbol_mapping, [&](const auto &entry) {
            const auto &symbols = nested->sdfg->symbols;
            const bool declared =
                std::any_of(symbols.begin(), symbols.end(),
                            [&](const auto &symbol) { return symbol.first == entry.first; });
            return !declared && !words.contain(entry.first) && selection.next();
          });
    });
  });
}

} // namespace sdfgopt::verify::reducer
