import { connect } from 'node:net'

/** The addresses that the cases need: what each is answered with is said by its name. */
export type Doors = { open: string; mine: string; staff: string; missing: string; limited: string; userToken: string }
type Early = { name: string; head: string; status: RegExp; framings?: Framing[] }

/**
 * Where bytes may lie that must never run as a request: in a body of known length, in chunks, in one that comes only after the answer, in one
 * that waits to be asked for, or behind a request for another protocol, where nothing says what they are.
 */
export const framings = ['in its body', 'in chunks', 'after the answer', 'unasked'] as const
type Framing = (typeof framings)[number] | 'behind it'

const websocket =
  'connection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\nsec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n'
const bearer = (token: string) => `authorization: Bearer ${token}\r\n`

/** Every answer that a gateway gives before, or without, reading a body. */
export const earlyAnswers = ({ open, mine, staff, missing, limited, userToken }: Doors): Early[] => [
  { name: '400', head: `POST ${open}%2f HTTP/1.1\r\nhost: a\r\n`, status: /^400 / },
  { name: '401', head: `POST ${mine} HTTP/1.1\r\nhost: a\r\n`, status: /^401 / },
  { name: '403', head: `POST ${staff} HTTP/1.1\r\nhost: a\r\n${bearer(userToken)}`, status: /^403 / },
  { name: '404', head: `POST ${missing} HTTP/1.1\r\nhost: a\r\n`, status: /^404 / },
  { name: '405', head: `PUT ${mine} HTTP/1.1\r\nhost: a\r\n`, status: /^405 / },
  { name: '413', head: `POST ${open} HTTP/1.1\r\nhost: a\r\ncontent-length: 900000000\r\n`, status: /^413 /, framings: ['behind it'] },
  { name: '429', head: `POST ${limited} HTTP/1.1\r\nhost: a\r\n`, status: /^429 / },
  { name: 'a preflight', head: `OPTIONS ${mine} HTTP/1.1\r\nhost: a\r\norigin: http://a\r\n`, status: /^204 / },
  { name: 'a page of the gateway', head: 'GET /healthz HTTP/1.1\r\nhost: a\r\n', status: /^200 / },
  { name: 'a page that takes no body', head: 'POST /healthz HTTP/1.1\r\nhost: a\r\n', status: /^405 / },
  { name: 'the web app', head: 'GET / HTTP/1.1\r\nhost: a\r\n', status: /^(200|503) / },
  { name: 'a head without its body', head: 'HEAD /healthz HTTP/1.1\r\nhost: a\r\n', status: /^200 / },
  ...[
    ['an upgrade of a function', `GET ${open} HTTP/1.1`, /^[2-5]\d\d /],
    ['an upgrade that is refused with 401', `POST ${mine} HTTP/1.1`, /^401 /],
    ['an upgrade of a page', 'GET /healthz HTTP/1.1', /^200 /],
    ['an upgrade of the web app', 'GET / HTTP/1.1', /^(200|503) /],
    ['an upgrade at an address that is none', `GET ${missing} HTTP/1.1`, /^404 /],
  ].map(([name, line, status]): Early => {
    return {
      name: name as string,
      head: `${line}\r\nhost: a\r\n${websocket}`,
      status: status as RegExp,
      framings: ['behind it', 'in its body'],
    }
  }),
  {
    name: 'an upgrade to HTTP/2',
    head: `GET ${missing} HTTP/1.1\r\nhost: a\r\nconnection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABkAAQAoAAAAAIAAAAA\r\n`,
    status: /^404 /,
    framings: ['behind it'],
  },
  {
    name: 'an upgrade of /live that its origin may not have',
    head: `GET /live HTTP/1.1\r\nhost: a\r\norigin: http://elsewhere\r\n${websocket}`,
    status: /^403 /,
    framings: ['behind it'],
  },
  {
    name: 'an upgrade of /live to another protocol',
    head: 'GET /live HTTP/1.1\r\nhost: a\r\nconnection: upgrade\r\nupgrade: h2c\r\n',
    status: /^\d\d\d /,
    framings: ['behind it'],
  },
]

/** Sends one request with another one hidden in it, and answers each status line that came back until the gateway had nothing more to say. */
export function sendHidden(port: number, head: string, framing: Framing, hidden: string): Promise<string[]> {
  const bytes = Buffer.byteLength(hidden)
  const [first, later] = {
    'in its body': [`${head}content-length: ${bytes}\r\n\r\n${hidden}`, ''],
    'in chunks': [`${head}transfer-encoding: chunked\r\n\r\n${bytes.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`, ''],
    'after the answer': [`${head}content-length: ${bytes}\r\n\r\n`, hidden],
    unasked: [`${head}expect: 100-continue\r\ncontent-length: ${bytes}\r\n\r\n${hidden}`, ''],
    'behind it': [`${head}\r\n${hidden}`, hidden],
  }[framing] as [string, string]
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
    let answer = ''
    const done = () => resolve([...answer.matchAll(/HTTP\/1\.[01] (\d\d\d [^\r]*)/g)].map(([, status]) => status!))
    socket.on('data', (chunk) => {
      const isFirst = answer === ''
      answer += chunk.toString('latin1')
      // This side has nothing more to say: what the other still answers, it answers now.
      if (isFirst) socket.end(later, 'latin1')
    })
    socket.on('end', () => socket.destroy())
    socket.on('error', () => {})
    socket.on('close', done)
    socket.setTimeout(10_000, () => reject(new Error(`no answer to ${head}, so far: ${answer}`)))
    socket.write(first, 'latin1')
  })
}
