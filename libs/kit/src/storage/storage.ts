import type { Readable } from 'node:stream'

export type ObjectInfo = { key: string; size: number; contentType: string; etag: string; modifiedAt: Date }
export type Range = { start: number; end?: number }

/** Files of one service; keys are paths like `images/<user>/<id>.png`. */
export interface Storage {
  /** Streams in; nothing is visible under the key until all of it is there. Over `maxBytes` it fails with DomainError('too_large'). */
  put(key: string, body: Readable | Uint8Array, options: { contentType: string; maxBytes?: number }): Promise<ObjectInfo>
  /** Throws DomainError('not_found'). */
  get(key: string, range?: Range): Promise<{ info: ObjectInfo; body: Readable }>
  head(key: string): Promise<ObjectInfo | null>
  delete(key: string): Promise<void>
  /**
   * A file that arrives in pieces. The state that each step returns is the caller's to keep; `append` at an offset replaces what was written
   * there by a try whose state was not kept. Nothing is visible under the key until `finish`.
   */
  begin(key: string, contentType: string): Promise<string>
  append(key: string, state: string, offset: number, piece: Uint8Array): Promise<string>
  finish(key: string, state: string, size: number, contentType: string): Promise<ObjectInfo>
  abandon(key: string, state: string): Promise<void>
  list(prefix: string, limit?: number): Promise<ObjectInfo[]>
  /** An address under PUBLIC_URL/files/v1/<service>/ that serves (or takes) the file for so long without signing in. */
  signedUrl(
    key: string,
    options: { method?: 'GET' | 'PUT'; expiresInS: number; downloadAs?: string; contentType?: string; maxBytes?: number },
  ): string
  ready(): Promise<boolean>
}
