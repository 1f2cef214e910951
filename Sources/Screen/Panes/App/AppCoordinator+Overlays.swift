import Text
import ViewModels

// The opening and closing of overlays.
extension AppCoordinator {
  /// The overlays that are open, from the bottom to the top.
  package var openOverlays: [any OverlayPane] { overlays }

  /// Shows `overlay` above everything else; it gets every key until it is dismissed.
  package func present(_ overlay: any OverlayPane) {
    put(overlay)
    update()
  }

  /// Shows a question above everything else, once the open one is answered: questions are not
  /// stacked (interface.md, "Overlays").
  package func ask(_ question: DialogPane) {
    waitingQuestions.append(question)
    update()
  }

  /// Removes `overlay`, wherever it is.
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
    // A message that was read aloud is not announced again at another position.
    if glyphs.isLinear { desktop?.shell.status.forgetReported() }
    endPrefix()
  }
}
