import NatterCore
import Text
import XMPP

/// Sends locations to the open conversation, and opens those that were received.
package struct LocationSharing {
  let shell: ShellViewModel

  /// Asks whether to send a location to the open conversation.
  /// - Parameter typed: the location as `TypedLocation` reads it; empty: the one of this computer.
  /// - Throws: `NatterError` if it is none, or the conversation cannot be written to.
  func share(_ typed: String) throws {
    guard let jid = shell.activeConversation else {
      throw NatterError(.invalidInput, "error.noConversation")
    }
    if let error = shell.obstacle(to: jid) { throw error }
    guard typed.isEmpty else {
      return ask(about: try TypedLocation.read(typed), to: jid, comesLate: false)
    }
    let find = shell.actions.links.findLocation
    shell.lifetime.aside { [weak shell] in
      do {
        guard let output = try await find() else {
          throw NatterError(.invalidInput, "error.location.noCommand")
        }
        let point = try TypedLocation.point(printed: output)
        shell?.tools.locations.ask(about: SharedLocation(point), to: jid, comesLate: true)
      } catch {
        shell?.report(error)
      }
    }
  }

  private func ask(about location: SharedLocation, to jid: JID, comesLate: Bool) {
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "confirm.locationTitle", textKey: "confirm.location",
        acceptKey: "confirm.locationAccept",
        arguments: ["location": shell.format.text(of: location), "name": shell.name(of: jid)],
        comesLate: comesLate
      ) { [weak shell] in shell?.send(location.body, to: jid) })
  }

  /// Opens the location in the selected message, or else the newest.
  /// - Returns: `false` if that message shares none.
  func openInHand() -> Bool {
    guard let location = shell.timeline.messageInHand?.location else { return false }
    open(location)
    return true
  }

  /// Opens a location in the program for it; without one, on a map, after a question: the map's
  /// server learns the location.
  func open(_ location: SharedLocation) {
    shell.actions.links.openLocation(location.point.text) { [weak shell] in
      shell?.tools.locations.askForMap(of: location)
    }
  }

  private func askForMap(of location: SharedLocation) {
    let template = shell.actions.links.map()
    let address = template.replacing("{lat}", with: GeoURI.trimmed(location.point.latitude))
      .replacing("{lon}", with: GeoURI.trimmed(location.point.longitude))
    guard template.contains("{lat}"), template.contains("{lon}"), let host = Self.host(of: address)
    else {
      return shell.report(NatterError(.invalidInput, "error.location.map", ["text": template]))
    }
    shell.actions.confirm(
      ConfirmRequest(
        titleKey: "confirm.mapTitle", textKey: "confirm.map", acceptKey: "confirm.mapAccept",
        arguments: ["location": shell.format.text(of: location), "host": host],
        comesLate: true
      ) { [weak shell] in shell?.actions.openLink(address) })
  }

  /// Returns the host of a web address; `nil` if it is none.
  private static func host(of address: String) -> String? {
    for scheme in ["https://", "http://"] where address.hasPrefix(scheme) {
      let host = address.dropFirst(scheme.count).prefix { !"/?#".contains($0) }
      return host.isEmpty ? nil : String(host)
    }
    return nil
  }
}
