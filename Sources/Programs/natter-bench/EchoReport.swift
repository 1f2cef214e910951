import Foundation

/// The results of `natter-bench echo`, as tables; the first of the compared programs is the floor.
struct EchoReport {
  let natter: String
  let keys: Int
  let rate: Int
  let entrants: [EchoEntrant]

  func show() {
    print("\(keys) keys in each state, 40 to 100 ms apart, on 120x40: \(natter)")
    print(
      Table.row(
        "from a key to the screen", "p50 ms", "p99 ms", "max ms", "p50 ratio", "p99 ratio",
        "lag ms"))
    for entrant in entrants { echo("\(entrant.name), idle", entrant.idle, entrants[0].idle) }
    for entrant in entrants {
      echo(
        "\(entrant.name), \(rate) messages/s", entrant.busy, entrants[0].busy,
        lag: entrant.lags.max())
    }
    print(
      "ratio: to the first row of the state; lag: until the last message was shown, at most")
    print(
      Table.row(
        "from a resize to its last byte", "p50 ms", "max ms", "p50 ratio", "bursts", "frames", "kB")
    )
    for entrant in entrants { repaints(entrant) }
    print("120x40 <-> 100x30, \(entrants[0].repaints.count) times each")
  }

  private func echo(_ name: String, _ times: [Double], _ floor: [Double], lag: Double? = nil) {
    func at(_ part: Double) -> String { figure(Table.percentile(part, of: times)) }
    func ratio(_ part: Double) -> String {
      figure(Table.percentile(part, of: times) / Table.percentile(part, of: floor), digits: 1)
    }
    print(
      Table.row(
        name, at(0.5), at(0.99), at(1), ratio(0.5), ratio(0.99), lag.map { figure($0) } ?? "-"))
  }

  private func repaints(_ entrant: EchoEntrant) {
    func middle(_ entrant: EchoEntrant) -> Double {
      Table.percentile(0.5, of: entrant.repaints.map(\.milliseconds))
    }
    let all = entrant.repaints
    let bytes = Table.percentile(0.5, of: all.map { Double($0.byteCount) })
    print(
      Table.row(
        entrant.name, figure(middle(entrant)), figure(all.map(\.milliseconds).max() ?? 0),
        figure(middle(entrant) / middle(entrants[0]), digits: 1), range(all.map(\.bursts)),
        range(all.map(\.frames)), figure(bytes / 1000, digits: 1)))
  }

  /// `2`, or `1-3`.
  private func range(_ counts: [Int]) -> String {
    Set([counts.min() ?? 0, counts.max() ?? 0]).sorted().map(String.init).joined(separator: "-")
  }

  private func figure(_ number: Double, digits: Int = 2) -> String {
    String(format: "%.\(digits)f", number)
  }
}
