/// `natter-bench NAME`: measures one thing and prints figures with their units.
let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "xml":
  try XMLBenchmark(megabytes: arguments.dropFirst().first.flatMap { Int($0) } ?? 50).run()
default:
  print("usage: natter-bench xml [MEGABYTES]")
}
