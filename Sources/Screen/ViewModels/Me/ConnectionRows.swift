import NatterCore
import Text
import XMPP

/// The values in use by the connection: rows beside the settings that led to them.
final class ConnectionRows {
  /// Called when the rows have changed.
  var onChange: () -> Void = {}

  private let shell: ShellViewModel
  private var details: ConnectionDetails?

  init(shell: ShellViewModel) {
    self.shell = shell
    shell.follow { [weak self] event in
      if case .connectionChanged = event { self?.load() }
    }
    load()
  }

  private var localizer: Localizer { shell.format.localizer }

  /// Queries the details of the current connection.
  func load() {
    shell.lifetime.aside { [weak self] in
      guard let self else { return }
      let found = await shell.ports.connection.details()
      guard found != details else { return }
      details = found
      onChange()
    }
  }

  /// Returns the value in use for a setting that is absent or automatic; `nil` if there is none.
  func inUse(_ key: String) -> String? {
    if let named = named(key) { return ErrorText.oneLine(named) }
    let found: String? =
      switch key {
      case "server": details?.host
      case "port": details.map { "\($0.port)" }
      case "ca_file": localizer("connection.system")
      case "http_url": localizer("connection.lookedFor")
      default: nil
      }
    return found.map { localizer("settings.automatic", ["value": $0]) }
  }

  /// Returns a value set for the account elsewhere: on the command line, or when the account was
  /// added.
  private func named(_ key: String) -> String? {
    let account = details?.account
    return switch key {
    case "address": shell.format.account.shown
    case "server": account?.server
    case "port": account?.port.map { "\($0)" }
    case "tls": account.flatMap { $0.security == .automatic ? nil : $0.security.rawValue }
    case "ca_file": account?.caFile
    case "http_url": account?.httpURL
    default: nil
    }
  }

  /// The rows from the top; none without a connection.
  var items: [ValueItem] {
    guard let details else { return [] }
    func word(_ isOn: Bool) -> String { localizer(isOn ? "settings.on" : "settings.off") }
    let rows: [(String, String?)] = [
      ("place", "\(details.host):\(details.port)"),
      (
        "tls",
        details.tlsVersion.map {
          [$0, details.tlsCipher].compactMap { $0 }.joined(separator: ", ")
        } ?? localizer("connection.clear")
      ),
      ("mechanism", details.mechanism),
      ("binding", details.channelBinding ?? localizer("settings.off")),
      ("management", word(details.hasStreamManagement)), ("carbons", details.hasCarbons.map(word)),
      ("resource", details.resource),
    ]
    return rows.compactMap { key, value in
      value.map {
        ValueItem(
          id: Self.prefix + key, title: localizer("connection.\(key)"),
          value: ErrorText.oneLine($0))
      }
    }
  }

  /// Returns the description of a row; `nil` if it is not one of these.
  func help(of id: ValueItem.ID) -> String? {
    id.hasPrefix(Self.prefix) ? localizer("connection.help") : nil
  }

  private static let prefix = "in-use."
}
