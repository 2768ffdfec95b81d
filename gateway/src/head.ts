import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { AnswerHead } from './answer.ts'

/** The fields that Node's own `writeHead` works on. It has checked each header by now; here `answer.ts` has. */
type Head = ServerResponse & { _storeHeader(lines: string): void; _contentLength: number | null; _hasBody: boolean }

/**
 * `writeHead` for lines that are already checked: a third of the cost. Node still adds the date, the connection's own headers and the
 * framing, by its own rules for the version that the client speaks.
 */
export function writeHeadLines(response: ServerResponse, { status, lines, length, dated }: AnswerHead, given: string, last: boolean) {
  const head = response as Head
  head.statusCode = status
  head.sendDate = !dated
  if (last) head.shouldKeepAlive = false
  if (status === 204 || status === 304) head._hasBody = false
  if (head._hasBody) head._contentLength = length
  const declared = !head._hasBody && length !== null && status !== 204 ? `content-length: ${length}\r\n` : ''
  head._storeHeader(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${lines}${given}${declared}`)
}
