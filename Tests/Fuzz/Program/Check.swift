import CFuzzer
import Dispatch
import FuzzTargets
import Glibc
import Synchronization

/// The target of this run.
let chosen = Mutex<FuzzTarget>(.xml)

/// Feeds one input to the target, under the name by which libFuzzer asks for it. A broken invariant
/// ends the program as a crash does, so that libFuzzer keeps the input.
@_cdecl("LLVMFuzzerTestOneInput")
func check(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: data, count: count))
  let failure: (any Error)?
  switch chosen.withLock({ $0 }).body {
  case .immediate(let run):
    do {
      try run(bytes)
      failure = nil
    } catch { failure = error }
  case .waiting(let run): failure = wait { try await run(bytes) }
  }
  if let failure {
    _ = "\(failure)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
    abort()
  }
  return 0
}

/// Passes control to libFuzzer, which feeds `check` until it is done, and returns its exit code. It
/// is here and not in `main.swift`: a debug build would have `check`'s C function in both files.
func runsFuzzer() -> CInt {
  var count = CommandLine.argc
  var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
  return LLVMFuzzerRunDriver(&count, &arguments, check)
}

/// Runs `body` to its end, for a caller that cannot wait.
private func wait(_ body: @escaping @Sendable () async throws -> Void) -> (any Error)? {
  let end = DispatchSemaphore(value: 0)
  let box = OutcomeBox()
  Task.detached {
    do { try await body() } catch { box.error.withLock { $0 = error } }
    end.signal()
  }
  end.wait()
  return box.error.withLock { $0 }
}

private final class OutcomeBox: Sendable {
  let error = Mutex<(any Error)?>(nil)
}
