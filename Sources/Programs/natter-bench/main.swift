import Glibc

do {
  try await measure(CommandLine.arguments.dropFirst())
} catch {
  // Earlier results are flushed by `exit`.
  let text = "natter-bench: \(error)\n"
  _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  exit(1)
}

/// `natter-bench NAME`: measures one thing and prints figures with their units.
@MainActor
func measure(_ arguments: ArraySlice<String>) async throws {
  switch arguments.first {
  case "xml":
    try XMLBenchmark(megabytes: arguments.dropFirst().first.flatMap { Int($0) } ?? 50).run()
  case "text":
    try WorstTextBenchmark(kilobytes: arguments.dropFirst().first.flatMap { Int($0) } ?? 250).run()
  case "places":
    try WorstPositionsBenchmark(
      folder: arguments.dropFirst().first ?? "Tests/Fuzz/Corpus/stanza"
    ).run()
  case "store":
    try await runStoreBenchmark(arguments: Array(arguments.dropFirst()))
  case "search":
    let isMet = try await SearchBenchmark(
      options: .init(arguments: Array(arguments.dropFirst()))
    ).run()
    exit(isMet ? 0 : 1)
  case "start":
    try await StartBenchmark(arguments: Array(arguments.dropFirst())).run()
  case "room":
    try await RoomBenchmark(people: arguments.dropFirst().first.flatMap { Int($0) } ?? 2000).run()
  case "palette":
    try await ListBenchmark(
      rows: arguments.dropFirst().first.flatMap { Int($0) } ?? 50_000, lists: [.palette]
    ).run()
  case "lists":
    try await ListBenchmark(
      rows: arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000, lists: [.contacts, .rooms]
    ).run()
  case "faults":
    try await runFaultBenchmark(arguments: Array(arguments.dropFirst()))
  case "files":
    try await FileListBenchmark(files: arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000)
      .run()
  case "transfer":
    try await TransferBenchmark(arguments: Array(arguments.dropFirst())).run()
  case "echo":
    try await EchoBenchmark(arguments: Array(arguments.dropFirst())).run()
  case "commands":
    let isRight = try await CommandBenchmark(
      options: .init(arguments: Array(arguments.dropFirst()))
    ).run()
    exit(isRight ? 0 : 1)
  case "scripts":
    let isMet = try await ScriptBenchmark(
      options: .init(arguments: Array(arguments.dropFirst()))
    ).run()
    exit(isMet ? 0 : 1)
  default:
    print(
      """
      usage: natter-bench xml [MEGABYTES] | text [KILOBYTES] | places [FOLDER] | store [SIZE...]
           | search [SIZE...] [--seed N] [--quick] | start [--natter PATH] [--runs N]
           | echo [--natter PATH] [--keys N]
           | commands [--natter PATH] [--many N] [--messages N] [--rounds N] [--quick]
           | scripts [--natter PATH] [--keys N] [--messages N] [--calls N] [--runs N]
           | room [PEOPLE] | palette [ENTRIES] | lists [ROWS] | files [FILES]
           | transfer [MEGABYTES] [prosody|ejabberd] [--rounds N] [--natter PATH]
           | faults [--messages N] [--faults N] [--seed N] [prosody|ejabberd|built-in]... [direct|room]
      """)
  }
}
