import FoundationEssentials
import NatterCore

/// What the last reading of grants and folders has found, so that only news are reported and done.
struct ScriptReadings {
  private var grantsProblem: GrantFileError?
  private var folderProblem: StatusNotice?
  /// When scripts were last to be restarted, by name; `nil`: not read yet.
  private var restarts: [String: Date]?
  /// The folders in which scripts were found last, by name.
  private var places: [String: String] = [:]

  /// - Returns: what is to be reported about the grants.
  mutating func take(_ problem: GrantFileError?) -> StatusNotice? {
    defer { grantsProblem = problem }
    return problem == grantsProblem ? nil : problem?.natterError.notice
  }

  /// - Returns: what is to be reported about the folder of the user's scripts.
  mutating func take(folder problem: StatusNotice?) -> StatusNotice? {
    defer { folderProblem = problem }
    return problem == folderProblem ? nil : problem
  }

  mutating func take(_ found: FoundScript?, of name: String) { places[name] = found?.folder }

  /// - Returns: the scripts whose time of `natter scripts restart` is another one than before.
  mutating func takeRestarts(_ grants: ScriptGrants) -> [String] {
    let times = grants.entries.compactMapValues(\.restarted)
    defer { restarts = times }
    // What was asked for before this program began is done.
    guard let restarts else { return [] }
    return times.filter { restarts[$0.key] != $0.value }.keys.sorted()
  }

  /// Returns the folders to watch, by the names of the scripts: those of scripts that are enabled,
  /// also of those that cannot be used now, because the user may be about to correct them.
  func watched(
    _ managed: [String: ManagedScript], _ grants: ScriptGrants, in user: String
  ) -> [String: String] {
    var watched = managed.mapValues(\.hosted.folder)
    for (name, entry) in grants.entries where entry.isEnabled && watched[name] == nil {
      watched[name] = places[name] ?? user + "/" + name
    }
    return watched
  }
}
