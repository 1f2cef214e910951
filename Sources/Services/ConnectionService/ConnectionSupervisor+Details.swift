import NatterCore

extension ConnectionSupervisor {
  package func details() async -> ConnectionDetails? {
    guard current.isOnline, var details = stream?.details else { return nil }
    details.account = account
    for case let carbons as any CarbonReporting in consumers {
      details.hasCarbons = await carbons.isOn
    }
    return details
  }
}
