/** Saves a text, or bytes, as a file of this name. */
export function download(name: string, text: string | Uint8Array<ArrayBuffer>, type: string) {
  saveFile(name, new Blob([text], { type }))
}

/** Saves a file that is here already. */
export function saveFile(name: string, file: Blob) {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // The browser reads it after this turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000)
}

/** Fetches what the server sends to be saved: the page stays where it is. */
export function fetchFile(url: string) {
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  link.click()
}
