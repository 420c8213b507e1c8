#include "interp/compile.h"

#include "interp/control_compiler.h"

namespace sdfgopt::interp {

support::result<Program> compile(ir::Document &document, std::uint64_t order_seed) {
  Program program;
  Emitter emitter(program);
  Unit unit{document, emitter, order_seed};
  Frame frame(unit, document.root, nullptr);
  program.places.push_back({0, "the arguments"});
  SDFGOPT_CHECK(frame.declare_arguments());
  program.prologue = emitter.next();
  // What runs first is known last.
  const Label setup = emitter.new_label();
  const Label begin = emitter.new_label();
  emitter.jump(setup);
  emitter.bind(begin);
  SDFGOPT_CHECK(compile_sdfg(frame));
  emitter.emit(Op::Halt);
  program.places.push_back({emitter.next(), "the beginning"});
  emitter.bind(setup);
  frame.load_undefined();
  emitter.jump(begin);
  emitter.finish();
  return program;
}

} // namespace sdfgopt::interp
