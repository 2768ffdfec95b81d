/** Where a page of a list ended: the order, the value that it sorts by, and the id. */
export const placeAfter = (sort: string, by: string, id: string) => Buffer.from(JSON.stringify([sort, by, id])).toString('base64url')

/** The content of a cursor; one that no page of this order gave begins at the start. */
export function readPlace(cursor: string | undefined, sort: string, shape: RegExp): { by: string; id: string } | null {
  if (!cursor) return null
  const said = /^\["(\w+)","((?:[^"\\]|\\.)*)","([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"\]$/u.exec(
    Buffer.from(cursor, 'base64url').toString(),
  )
  if (said?.[1] !== sort) return null
  try {
    const by: string = JSON.parse(`"${said[2]}"`)
    return shape.test(by) && !by.includes('\0') ? { by, id: said[3]! } : null
  } catch {
    return null
  }
}
