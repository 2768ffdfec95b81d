import type { fileContracts } from '@operon/contracts/files'
import { inspectFile, sweepFiles } from '@operon/contracts/files'
import { sql } from 'kysely'
import type { Ctx } from '../context.ts'
import { DomainError } from '../errors.ts'
import { serve, serveRaw } from '../http.ts'
import type { Holding } from '../personal-data.ts'
import { deleteInPieces } from '../pieces.ts'
import type { Runtime } from '../service.ts'
import { download } from '../storage/links.ts'
import {
  appendToUpload,
  beginUpload,
  cleanName,
  deleteFile,
  fileOfLink,
  hashFile,
  type Kept,
  linkFile,
  listFiles,
  removeFiles,
  revokeLink,
  standingOf,
} from './files.ts'

type Rt = Runtime<any, any>
const TUS = { 'tus-resumable': '1.0.0', 'cache-control': 'no-store' }
const MAX_BYTES = 5 * 1024 ** 3

/** Serves the uploads and links of a service's files. Its migrations have `fileTables`, its contracts `fileContracts(name)`. */
export function mountFiles(
  rt: Rt,
  contracts: ReturnType<typeof fileContracts<any>>,
  { kept, hidden }: { kept?: Kept; hidden?: Kept } = {},
): void {
  const { app } = rt
  serveRaw(app, contracts.createUpload as never, async (ctx, _input, reply, { headers }) => {
    const bytes = Number(headers['upload-length'])
    if (!Number.isSafeInteger(bytes) || bytes < 0) throw new DomainError('invalid', { message: 'Upload-Length is needed, in bytes.' })
    if (bytes > MAX_BYTES) throw new DomainError('too_large')
    const { filename = 'file', filetype = '' } = metadataOf(headers['upload-metadata'])
    const { id } = await beginUpload(rt, ctx, { bytes, name: cleanName(filename), type: filetype.slice(0, 100) })
    return reply
      .code(201)
      .headers({ ...TUS, location: `${contracts.createUpload.path}/${id}` })
      .send()
  })
  serveRaw(app, contracts.uploadOffset as never, async (ctx, { upload }: { upload: string }, reply) => {
    const { received, bytes } = await standingOf(rt, ctx, upload)
    return reply
      .code(200)
      .headers({ ...TUS, 'upload-offset': received, 'upload-length': bytes })
      .send()
  })
  serveRaw(app, contracts.continueUpload as never, async (ctx, _input, reply, { headers, body, params }) => {
    if (headers['content-type'] !== 'application/offset+octet-stream')
      throw new DomainError('invalid', { status: 415, message: 'A piece is sent as application/offset+octet-stream.' })
    const offset = Number(headers['upload-offset'] ?? Number.NaN)
    if (!Number.isSafeInteger(offset) || offset < 0) throw new DomainError('invalid', { message: 'Upload-Offset is needed, in bytes.' })
    const piece = (body as Uint8Array | undefined) ?? new Uint8Array()
    const { received } = await appendToUpload(rt, ctx, (params as { upload: string }).upload, offset, piece)
    return reply
      .code(204)
      .headers({ ...TUS, 'upload-offset': received })
      .send()
  })
  serveRaw(app, contracts.deleteUpload as never, async (ctx, { upload }: { upload: string }, reply) => {
    await deleteFile(rt, ctx, upload, kept)
    return reply.code(204).headers(TUS).send()
  })
  serve(app, contracts.listFiles, (ctx, input) => listFiles(rt, ctx, input as never, { kept, hidden }))
  serve(app, contracts.linkFile, (ctx, input) => linkFile(rt, ctx, input as never))
  serve(app, contracts.revokeLink, (ctx, input) => revokeLink(ctx, input as never))
  serveRaw(app, contracts.openLink as never, async (ctx, { token }: { token: string }, reply, request) => {
    const { key, name, expires_at } = await fileOfLink(ctx, token, hidden)
    const link = { method: 'GET' as const, key, downloadAs: name, expires: expires_at.getTime() / 1000, revocable: true as const }
    return download(rt.storage, link, request, reply)
  })
  rt.job(inspectFile(rt.name), (ctx, { payload }) => hashFile(rt, ctx, payload.file_id))
  // An upload that nobody went on with for a day gives its space back.
  rt.job(
    sweepFiles(rt.name),
    async (ctx) => {
      await removeFiles(rt, ctx.db as never, (query) =>
        query.where('state', '=', 'uploading').where('created_at', '<', sql<Date>`now() - interval '1 day'`),
      )
      await deleteInPieces(ctx.db as never, 'file_links', sql`expires_at < now() - interval '1 day'`, { signal: ctx.signal })
    },
    { everyMs: 3_600_000 },
  )
}

/** For the service's part in an export: a row a file. */
export const fileHoldings: Holding[] = [
  { table: 'files', without: ['upload', 'head', 'lock_id', 'locked_until'] },
  { table: 'file_links', without: ['token_hash'] },
  { table: 'file_usage', key: null },
]

/** For the service's eraser, in `before`: objects and rows, all but those that others keep. */
export async function eraseFiles(rt: Rt, ctx: Ctx<any>, userId: string, kept?: Kept): Promise<void> {
  while (await removeFiles(rt, ctx.db as never, (query) => query.where('user_id', '=', userId), kept));
  await ctx.db
    .deleteFrom('file_usage' as never)
    .where('user_id' as never, '=', userId as never)
    .execute()
}

/** `filename d29ybGQ=,filetype dGV4dA==`: keys and base64. */
function metadataOf(header: string | string[] | undefined): Record<string, string> {
  const pairs = String(header ?? '')
    .split(',')
    .slice(0, 20)
    .map((pair) => pair.trim().split(' '))
  return Object.fromEntries(pairs.flatMap(([key, value]) => (key && value ? [[key, Buffer.from(value, 'base64').toString('utf8')]] : [])))
}
