import FuzzTargets
import Glibc
import Synchronization

// NATTER_FUZZ_TARGET=TARGET natter-fuzz [libFuzzer's options and corpus folders]; .ci/fuzz runs it.
// The target is not an argument: libFuzzer starts the program again with its own ones, to make
// inputs smaller.

guard let name = getenv("NATTER_FUZZ_TARGET"),
  let target = FuzzTarget(rawValue: String(cString: name))
else {
  print(
    "NATTER_FUZZ_TARGET names none of: "
      + FuzzTarget.allCases.map(\.rawValue).joined(separator: " "))
  exit(2)
}
chosen.withLock { $0 = target }

exit(runsFuzzer())
