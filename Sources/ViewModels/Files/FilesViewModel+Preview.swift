import NatterCore

// What the selected file looks like, where it is on this disk.
extension FilesViewModel {
  /// Of the selected file; `nil` when it is not here, when there is nothing to be seen, or until it is read.
  package var preview: FilePreview? {
    guard let path = selectedPath else { return nil }
    if looked.path != path { look(at: path) }
    return switch looked.preview {
    case .picture, .text: looked.preview
    case .nothing, .unreadable, nil: nil
    }
  }

  private var selectedPath: String? {
    if let file = selectedFile { return file.localPath }
    guard let transfer = selectedTransfer, transfer.direction == .upload else { return nil }
    return transfer.path
  }

  private func look(at path: String) {
    looked = (path, nil)
    guard let looking = shell.ports.files?.looking else { return }
    shell.lifetime.aside { [weak self] in
      let preview = await looking.preview(of: path)
      guard let self, looked.path == path else { return }
      looked.preview = preview
      invalidation.raise()
    }
  }
}
