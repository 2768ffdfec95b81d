import { z } from 'zod'
import { endpoint } from '../contract.ts'

// The Model Context Protocol over streamable HTTP, for other companies' assistants. Nothing is kept between calls, so any instance answers.

const mcp = { path: '/mcp', access: 'user', rate: 'write', resource: true, raw: true, reply: z.unknown() } as const

export const mcpCall = endpoint({
  ...mcp,
  method: 'POST',
  bytes: true,
  maxBytes: 600 * 1024,
  summary: 'One JSON-RPC message of the Model Context Protocol',
})
export const mcpListen = endpoint({ ...mcp, method: 'GET', summary: 'Answers 405: the server sends nothing on its own' })
export const mcpEnd = endpoint({ ...mcp, method: 'DELETE', summary: 'Answers 405: there is no session to end' })
