import NatterCore

/// The preferences, in memory.
package actor MemoryPreferences: PreferenceStoring {
  private var kept: [String: String] = [:]
  package init() {}
  package func values() -> [String: String] { kept }
  package func setValue(_ value: String?, for key: String) { kept[key] = value }
}
