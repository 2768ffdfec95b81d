import { connect } from 'node:net'
import Fastify from 'fastify'
import { expect, onTestFinished, test } from 'vitest'
import { BEGIN_BY, sayWhenBegun } from './begin.ts'

test('a request that has to be begun by a time says that it is begun before anything is done, and is dropped unread after it', async () => {
  const app = Fastify()
  onTestFinished(() => app.close())
  sayWhenBegun(app)
  let done = 0
  app.post('/pay', async () => ({ done: ++done }))
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const answerTo = (line: string) =>
    new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(port, '127.0.0.1')
      socket
        .on('data', (part) => (text += part))
        .on('error', () => {})
        .on('close', () => resolve(text))
      socket.write(`POST /pay HTTP/1.1\r\nhost: a\r\n${line}content-length: 0\r\nconnection: close\r\n\r\n`)
    })
  expect(await answerTo(`${BEGIN_BY}: ${Date.now() + 60_000}\r\n`)).toMatch(/^HTTP\/1\.1 102 Processing\r\n\r\nHTTP\/1\.1 200 OK\r\n/)
  expect(await answerTo(`${BEGIN_BY}: ${Date.now() - 1}\r\n`)).toBe('')
  expect(await answerTo('')).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  expect(done).toBe(2)
})
