import NatterCore
import Text

// A post: its text, its comments, and the actions on it.
extension FeedsPage {
  /// Shows a whole post, then its comments, and marks it as read.
  func open(_ post: FeedPost) {
    mark(post, isRead: true)
    let form = FormViewModel(
      title: author(of: post), fields: fields(post, comments: []),
      keyHints: [localizer.hint("form.keysSubmit"), localizer.wayOut("dialog.keysClose")],
      defaultButton: "close")
    let close = shell.actions.showForm(form)
    form.onCancel = close
    form.onPress = { [weak self] id in
      close()
      guard let self else { return }
      switch id {
      case "comment":
        ask(
          title: "discover.feeds.comment", text: "discover.feeds.commentText",
          done: "status.discover.commented"
        ) { [reader] in try await reader.comment($0, on: post, onStored: $1) }
      case "link": if let link = post.link { shell.open(link: link) }
      case "retry": retry(post)
      case "discard": discard(post)
      default: break
      }
    }
    guard post.comments != nil else { return }
    shell.lifetime.aside { [weak self, weak form, reader] in
      do {
        let comments = try await reader.comments(on: post)
        guard let self, let form, !comments.isEmpty else { return }
        form.replace(title: author(of: post), fields: fields(post, comments: comments), focus: nil)
      } catch {
        // Inaccessible comments count as none.
        form?.message = FormMessage(
          .info, [self?.localizer("discover.feeds.noComments") ?? ""])
      }
    }
  }

  private func fields(_ post: FeedPost, comments: [FeedPost]) -> [FormField] {
    func lines(_ text: String, _ id: String) -> [FormField] {
      text.split(whereSeparator: \.isNewline).prefix(200).enumerated().map {
        FormField(.paragraph, "\(id)\($0)", label: ErrorText.oneLine(String($1)))
      }
    }
    var fields = lines(post.title, "title")
    if !post.text.isEmpty, post.text != post.title {
      if !fields.isEmpty { fields.append(FormField(.spacer, "gap-text")) }
      fields += lines(post.text, "text")
    }
    fields.append(
      FormField(
        .entry(term: localizer("discover.feeds.date")), "date",
        label: shell.format.moment(post.published, now: shell.now())))
    if let publishState = publishState(of: post) {
      fields.append(FormField(.paragraph, "standing", label: publishState))
    }
    if let link = post.link {
      fields.append(FormField(.paragraph, "address", label: ErrorText.oneAddress(link)))
    }
    if !comments.isEmpty { fields.append(FormField(.spacer, "gap-comments")) }
    fields += comments.suffix(50).enumerated().map {
      FormField(
        .paragraph, "comment-\($0)",
        label: "\(shell.people.claimed($1.author, by: $1.id.feed.service)): \(headline(of: $1))"
          + (publishState(of: $1).map { " (\($0))" } ?? ""))
    }
    fields.append(FormField(.spacer, "gap"))
    if post.comments != nil {
      fields.append(FormField(.button, "comment", label: localizer("discover.feeds.comment")))
    }
    if case .refused = post.publishState {
      fields.append(FormField(.button, "retry", label: localizer("discover.feeds.retry")))
    }
    if post.publishState != .published {
      fields.append(FormField(.button, "discard", label: localizer("discover.feeds.discard")))
    }
    if post.link != nil {
      fields.append(FormField(.button, "link", label: localizer("discover.feeds.openLink")))
    }
    return fields + [FormField(.button, "close", label: localizer("discover.close"))]
  }
}
