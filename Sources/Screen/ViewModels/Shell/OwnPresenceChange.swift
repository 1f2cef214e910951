import NatterCore

/// A change of the account's presence, as others see it, by the user.
enum OwnPresenceChange {
  /// Changes the availability and the status text in the background, and reports the result.
  /// - Parameter then: called when that is stored, or could not be.
  static func set(
    _ wanted: OwnPresence, in shell: ShellViewModel, then: @escaping @MainActor () -> Void
  ) {
    shell.lifetime.aside { [weak shell, ports = shell.ports] in
      defer { then() }
      do {
        try await ports.ownPresence.setPresence(wanted.availability, status: wanted.status)
        guard let shell else { return }
        shell.readOwnPresence()
        // Without a connection it is not visible to others yet.
        shell.show(
          StatusNotice(
            .info,
            shell.connectionState == .online ? "status.presence" : "status.presenceWaits",
            ["presence": shell.format.presence(wanted.availability)]))
      } catch {
        shell?.report(error)
      }
    }
  }
}
