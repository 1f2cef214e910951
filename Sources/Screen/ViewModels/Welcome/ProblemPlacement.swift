import NatterCore
import Text

// The location of a connection error in a form: under the field to change, at the lower edge, or in
// a box.
extension ConnectionFields {
  /// Shows `problem` in `form`.
  @MainActor func show(
    _ problem: ConnectionProblem, in form: FormViewModel, address: FormField.ID,
    password: FormField.ID
  ) {
    form.clearErrors()
    let text = ErrorText(problem, localizer: localizer)
    if problem.concernsCertificate {
      form.dialog = certificateBox(text, problem.kind)
      return
    }
    if problem.kind == .signInWeakened {
      form.dialog = weakerBox(text)
      return
    }
    guard let id = field(for: problem, in: form, address: address, password: password),
      form[id] != nil
    else {
      form.message = FormMessage(.error, text.lines, compact: text.shortLines)
      return
    }
    if Self.all.contains(id) { show(form, isOpen: true) }
    form.update(id) { $0.error = text.headline }
    form.focus(on: id)
    form.message = FormMessage(
      .error, text.linesWithoutHeadline, compact: Array(text.shortLines.dropFirst()))
  }

  /// Returns the question whether to accept a weaker sign-in than last time.
  private func weakerBox(_ text: ErrorText) -> Dialog {
    var lines: [Dialog.Line] = [.text(text.headline), .blank]
    if !text.location.isEmpty { lines.append(.row(localizer("problem.where"), text.location)) }
    if !text.detail.isEmpty { lines.append(.row(localizer("problem.detail"), text.detail)) }
    return Dialog(
      title: localizer("weaker.title"), level: .question,
      lines: lines + [.blank, .text(text.why), .text(localizer("weaker.now"))],
      compactLines: [.text(text.headline), .text(localizer("weaker.now"))],
      buttons: [
        Dialog.Button(Self.back, localizer("certificate.back")),
        Dialog.Button(
          Self.acceptWeaker, localizer("weaker.accept"), compact: localizer("weaker.acceptShort")),
      ], safe: Self.back)
  }

  /// Handles the answer in the box about the certificate.
  @MainActor func answered(_ button: Dialog.Button.ID, in form: FormViewModel) {
    guard button == "ca-file" else { return }
    show(form, isOpen: true)
    form.focus(on: Self.caFile)
  }

  @MainActor private func field(
    for problem: ConnectionProblem, in form: FormViewModel, address: FormField.ID,
    password: FormField.ID
  ) -> FormField.ID? {
    let hasServer = !form.text(of: Self.server).isEmpty
    switch problem.kind {
    case .wrongPassword, .credentialsExpired, .notAuthorized, .tokenRefused, .notSignedIn:
      return password
    case .accountDisabled, .nameTaken: return address
    case .unknownHost, .serviceNotOffered, .domainNotServed:
      return hasServer ? Self.server : address
    case .refused, .timedOut, .unreachable, .notXMPP, .closedAtOnce:
      return !form.text(of: Self.port).isEmpty ? Self.port : hasServer ? Self.server : nil
    case .authoritiesUnusable: return Self.caFile
    case .tlsUnavailable, .tlsFailed, .tlsRequired, .clearTextRefused:
      return form[Self.security]?.selected == 0 ? nil : Self.security
    default: return nil
    }
  }

  /// Returns the box about an invalid certificate, which cannot be ignored. For an untrusted one,
  /// the user can name the authority that signed it.
  private func certificateBox(_ text: ErrorText, _ kind: ConnectionProblem.ProblemKind) -> Dialog {
    // The reason is clear without the TLS library's text, which is omitted if there is little room.
    let hasReason = kind != .certificateOther
    var lines: [Dialog.Line] = [.text(localizer("certificate.refused")), .blank]
    if !text.location.isEmpty { lines.append(.row(localizer("certificate.host"), text.location)) }
    lines.append(.row(localizer("certificate.reason"), text.what))
    let short = lines
    if !text.detail.isEmpty { lines.append(.row(localizer("certificate.detail"), text.detail)) }
    let compact = (hasReason ? short : lines) + [.text(text.now)]
    lines += [.blank, .text(text.why), .text(text.now), .blank]
    lines.append(.text(localizer("certificate.nothingSent")))
    var buttons = [Dialog.Button("back", localizer("certificate.back"))]
    if [.certificateUntrusted, .certificateSelfSigned].contains(kind) {
      buttons.append(
        Dialog.Button(
          "ca-file", localizer("certificate.caFile"),
          compact: localizer("certificate.caFileShort")))
    }
    return Dialog(
      title: localizer("certificate.title"), level: .error, lines: lines, compactLines: compact,
      buttons: buttons, safe: "back")
  }
}
