import NatterCore
import Text
import XMPP

// Commands that servers, services and contacts' programs offer.
extension ShellViewModel {
  /// Lists the commands that an address offers, to run one.
  /// - Parameter text: an address, a server's too, or a contact's name; empty: the own server.
  /// - Throws: `NatterError` when it is none of these.
  package func chooseRemoteCommand(of text: String) throws {
    guard let service = ports.people?.commands else { return }
    let jid: JID
    if text.isEmpty {
      jid = JID(local: nil, domain: format.account.domain)
    } else if !text.hasAddressMark, let server = actions.parseAddress(text), text.contains(".") {
      jid = server
    } else {
      jid = try person(text)
    }
    chooseRemoteCommand(of: jid, service)
  }

  /// The same for a contact.
  func chooseRemoteCommand(of jid: JID) {
    if let service = ports.people?.commands { chooseRemoteCommand(of: jid, service) }
  }

  private func chooseRemoteCommand(of jid: JID, _ service: any RemoteCommandRunning) {
    show(StatusNotice(.info, "status.askingCommands", ["address": jid.shown]))
    perform(nil) { [weak self] in
      let commands = try await service.commands(of: jid)
      guard let self else { return }
      guard !commands.isEmpty else {
        return show(StatusNotice(.info, "status.noCommands", ["address": jid.shown]))
      }
      status.clear()
      // Of several programs of one person, which one it is.
      let count = Set(commands.map(\.jid)).count
      actions.choose(
        ChoiceRequest(
          title: format.localizer("remote.title", ["address": jid.shown]),
          labels: commands.map {
            let name = ErrorText.oneLine($0.name)
            return count > 1 ? "\(name)  (\($0.jid.resource ?? $0.jid.description))" : name
          }, selected: 0
        ) { [weak self] in
          if let index = $0 { self?.run(commands[index], service) }
        })
    }
  }

  private func run(_ command: RemoteCommand, _ service: any RemoteCommandRunning) {
    perform(nil) { [weak self] in
      let stage = try await service.begin(command)
      guard let self else { return }
      let model = RemoteCommandViewModel(
        stage, service: service, localizer: format.localizer, lifetime: lifetime)
      model.close = actions.showForm(model.form)
    }
  }
}
