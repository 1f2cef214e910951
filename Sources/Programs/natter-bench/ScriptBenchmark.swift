import Foundation
import TestSupport

/// `natter-bench scripts`: what scripts cost, as ratios of figures of one run.
///
/// While a script floods, the answer to a key takes at most 1.2 times as long as without. A message
/// is on the standard input of a script at most 1.5 times as late as on the screen, counted from
/// its storing. The round trip of `version` takes at most 3 times as long as that of the same lines
/// through `cat`. With twenty enabled scripts that sleep the first frame takes at most 1.05 times
/// as long as without, no process of theirs runs, and Natter wakes no more often. For figures that
/// users get, measure a program that was built as README's section "Build and install it"
/// describes: another one wakes by itself while it is idle.
struct ScriptBenchmark {
  struct Options {
    let natter: String
    /// The keys that are typed, without and with a flood.
    var keys = 400
    var messages = 100
    /// The calls of each runtime.
    var calls = 1000
    /// The starts without and with scripts.
    var runs = 40

    /// Reads `[--natter PATH] [--keys N] [--messages N] [--calls N] [--runs N]`.
    init(arguments: [String]) {
      natter = StartBenchmark.program(arguments)
      func number(_ name: String) -> Int? {
        StartBenchmark.value(name, arguments).flatMap { Int($0) }.map { max(1, $0) }
      }
      keys = number("--keys") ?? keys
      messages = number("--messages") ?? messages
      calls = number("--calls") ?? calls
      runs = number("--runs") ?? runs
    }
  }

  let options: Options

  /// The width of the first column.
  private static let width = 50

  /// Prints a row for each goal, as soon as it is measured.
  /// - Returns: whether all goals are reached that could be measured.
  func run() async throws -> Bool {
    // The other user, and the commands of the shell, run the same program.
    setenv("NATTER_BINARY", options.natter, 1)
    print(
      "\(options.keys) keys, \(options.messages) messages, \(options.calls) calls, "
        + "\(options.runs) starts each: \(options.natter)")
    row("", "scripts", "base", "ratio", "goal", "holds")
    var holds = true
    func show(_ goals: RatioGoal...) {
      for goal in goals {
        row(
          goal.name, figure(goal.figure), figure(goal.base), figure(goal.ratio),
          figure(goal.limit), goal.holds ? "yes" : "NO")
        holds = holds && goal.holds
      }
    }
    if hasPython("key to echo", "message to script") {
      let echo = try await FloodEcho(natter: options.natter, keys: options.keys).times()
      show(
        RatioGoal(
          "key to echo, flooding / quiet, p99 ms", at(0.99, echo.flooded), to: at(0.99, echo.quiet),
          limit: 1.2))
      let stored = try await StoredMessages(natter: options.natter, count: options.messages)
        .times()
      show(
        RatioGoal(
          "stored to stdin / to frame, p50 ms", at(0.5, stored.script), to: at(0.5, stored.screen),
          limit: 1.5))
    }
    for runtime in ScriptCallEcho.Runtime.allCases {
      guard isInstalled(runtime.requirement, "version, \(runtime.rawValue)") else { continue }
      let calls = try await ScriptCallEcho(
        natter: options.natter, runtime: runtime, calls: options.calls
      ).times()
      show(
        RatioGoal(
          "version / cat, \(runtime.rawValue), p99 us", at(0.99, calls.natter),
          to: at(0.99, calls.bare), limit: 3))
      print("  p50 \(figure(at(0.5, calls.natter))) and \(figure(at(0.5, calls.bare))) us")
    }
    let sleeping = SleepingScripts(natter: options.natter, runs: options.runs)
    let frames = try await sleeping.firstFrames()
    let idle = try await sleeping.idleness(over: .seconds(5))
    show(
      RatioGoal(
        "first frame, \(SleepingScripts.count) scripts / none, p50 ms", at(0.5, frames.with),
        to: at(0.5, frames.without), limit: 1.05),
      // Of nothing there may be nothing.
      RatioGoal("processes of these scripts", Double(idle.processes), to: 0, limit: 1),
      RatioGoal(
        "wake-ups of Natter in 5 s, with / without", Double(idle.wakes.with),
        to: Double(idle.wakes.without), limit: 1))
    print(holds ? "all goals are reached" : "NOT all goals are reached")
    return holds
  }

  private func hasPython(_ names: String...) -> Bool {
    names.map { isInstalled(.python3, $0) }.allSatisfy(\.self)
  }

  /// Indicates whether a program is installed; prints what is not measured where it is not.
  private func isInstalled(_ program: ProgramRequirement, _ name: String) -> Bool {
    guard let problem = program.problem else { return true }
    print("without \(name): \(problem)")
    return false
  }

  private func at(_ part: Double, _ times: [Double]) -> Double {
    times.isEmpty ? .nan : Table.percentile(part, of: times)
  }

  private func figure(_ number: Double) -> String { String(format: "%.2f", number) }

  private func row(_ name: String, _ figures: String...) {
    print(
      name.padding(toLength: Self.width, withPad: " ", startingAt: 0)
        + figures.map { String(repeating: " ", count: max(1, 9 - $0.count)) + $0 }.joined())
  }
}
