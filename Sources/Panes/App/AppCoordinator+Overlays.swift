import ViewModels

// What comes above everything else, and goes again.
extension AppCoordinator {
  /// The overlays that are open, from the bottom to the top.
  package var openOverlays: [any OverlayPane] { overlays }

  /// Puts `overlay` above everything else; it gets every key until it is dismissed.
  package func present(_ overlay: any OverlayPane) {
    put(overlay)
    update()
  }

  /// Puts a question above everything else, after the one that is not answered yet: they do not stand on one another
  /// (interface.md, "Overlays").
  package func ask(_ question: DialogPane) {
    waitingQuestions.append(question)
    update()
  }

  /// Takes `overlay` away, wherever it is.
  package func remove(_ overlay: any OverlayPane) {
    overlays.removeAll { $0 === overlay }
    waitingQuestions.removeAll { $0 === overlay }
    update()
  }

  func showNextQuestion() {
    let isAsking = overlays.contains { ($0 as? DialogPane)?.isQuestion == true }
    if !isAsking, !waitingQuestions.isEmpty { put(waitingQuestions.removeFirst()) }
  }

  private func put(_ overlay: any OverlayPane) {
    overlay.use(bindings)
    overlays.append(overlay)
    // What was heard before is not told again in another place.
    if glyphs.isLinear { desktop?.shell.status.forgetTold() }
    endPrefix()
  }
}
