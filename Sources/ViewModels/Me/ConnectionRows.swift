import NatterCore
import XMPP

/// What the connection uses: rows beside the settings that it was made by.
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

  /// Asks how the connection is made now.
  func load() {
    shell.lifetime.aside { [weak self] in
      guard let self else { return }
      let found = await shell.ports.connection.details()
      guard found != details else { return }
      details = found
      onChange()
    }
  }

  /// What a setting that is not set comes to; `nil`: nothing.
  func inUse(_ key: String) -> String? {
    switch key {
    case "address": shell.format.account.shown
    case "server": details?.host
    case "port": details.map { "\($0.port)" }
    case "ca_file": localizer("connection.system")
    case "http_url": localizer("connection.lookedFor")
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
          value: ProblemText.oneLine($0))
      }
    }
  }

  /// What a row means; `nil`: it is none of these.
  func help(of id: ValueItem.ID) -> String? {
    id.hasPrefix(Self.prefix) ? localizer("connection.help") : nil
  }

  private static let prefix = "in-use."
}
