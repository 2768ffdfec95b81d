import { connect } from 'node:net'
import type { Readable } from 'node:stream'

export type Verdict = 'clean' | 'infected'

/** clamd's INSTREAM: pieces with their length before them, an empty one at the end, one line back. */
export async function scanWithClamd(address: string, file: Readable, { timeoutMs = 120_000 } = {}): Promise<Verdict> {
  const { hostname, port } = new URL(`tcp://${address}`)
  const socket = connect({ host: hostname, port: Number(port || 3310) })
  socket.setTimeout(timeoutMs, () => socket.destroy(new Error('clamd did not answer in time')))
  const answer = new Promise<string>((resolve, reject) => {
    let said = ''
    socket.setEncoding('utf8')
    socket.on('data', (piece) => {
      said += piece
    })
    socket.on('end', () => resolve(said))
    socket.on('error', reject)
  })
  // A caller below hears of the error; before that nobody listens.
  answer.catch(() => {})
  const send = (piece: Buffer) =>
    new Promise<void>((resolve, reject) => {
      socket.write(piece, (error) => (error ? reject(error) : resolve()))
    })
  try {
    await send(Buffer.from('zINSTREAM\0'))
    for await (const chunk of file) {
      const piece = Buffer.from(chunk)
      const length = Buffer.alloc(4)
      length.writeUInt32BE(piece.length)
      await send(Buffer.concat([length, piece]))
    }
    await send(Buffer.alloc(4))
    return verdictOf(await answer)
  } finally {
    socket.destroy()
    file.destroy()
  }
}

function verdictOf(said: string): Verdict {
  const line = said.replace(/\0/g, '').trim()
  if (/: OK$/.test(line)) return 'clean'
  if (/ FOUND$/.test(line)) return 'infected'
  throw new Error(`clamd answered: ${line.slice(0, 200)}`)
}
