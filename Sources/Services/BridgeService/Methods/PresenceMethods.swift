import JSONLines
import NatterCore
import XMPP

/// Presence.
enum PresenceMethods {
  static let all: [BridgeMethod] = [
    BridgeMethod(
      "presence.get", .readPresence, [BridgeParameter("address", .address), ObjectPage.skip]
    ) { call in
      let subject = try call.subject
      let account = subject.account.jid
      let port = try call.services.presence
      let presences = await port.presence()
      guard call.arguments.address("address") == nil else {
        let jid = try call.contact()
        // Contacts whose presence is not known are offline, as far as this account can see.
        let found =
          presences.first { $0.jid == jid } ?? ContactPresence(jid: jid, availability: .offline)
        return JSONLine { $0.add("contact") { $0.add(found, of: account) } }
      }
      let own = await port.ownPresence()
      let shown = presences.filter { subject.scope.contains($0.jid, .direct) }
        .sorted { $0.jid.description < $1.jid.description }
      return JSONLine {
        $0.add("own") {
          $0.add("availability", own.availability.outputName)
          $0.add("status", own.status)
          $0.add("priority", own.priority)
        }
        $0.add(
          "contacts", call.page(shown) { presence in JSONLine { $0.add(presence, of: account) } })
      }
    },
    BridgeMethod(
      "presence.set", .changePresence,
      [
        .required("availability", .choice(Availability.outputNames)),
        BridgeParameter("status", .text(1024)), BridgeParameter("priority", .integer(-128...127)),
      ]
    ) { call in
      let port = try call.services.presence
      guard let availability = Availability(outputName: try call.text("availability")) else {
        throw BridgeError.parameter("availability", "is not known")
      }
      let status = call.arguments.text("status").flatMap { $0.isEmpty ? nil : $0 }
      try await port.setPresence(availability, status: status)
      if let priority = call.arguments.integer("priority") { try await port.setPriority(priority) }
      return JSONLine()
    },
  ]
}
