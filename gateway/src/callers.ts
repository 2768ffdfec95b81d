import type { TokenVerifier } from '@operon/kit/auth'
import type { Actor } from '@operon/kit/context'
import { bearerOf } from '@operon/kit/tokens'
import type { Route } from './routes.ts'

type Headers = { authorization?: string | undefined; apikey?: string | string[] | undefined }

const anonymous: Actor = { kind: 'anonymous' }

/** Identifies the caller, at once for a token that was verified before. */
export class Callers {
  readonly #verifier: TokenVerifier
  readonly #publishable: Set<string>

  constructor(verifier: TokenVerifier, publishableKeys: string[]) {
    this.#verifier = verifier
    this.#publishable = new Set(publishableKeys)
  }

  of(headers: Headers, route: Route): Actor | Promise<Actor> {
    const { authorization, apikey } = headers
    if (route.resource) return this.#verifier.actorOf(headers, { resource: true, path: route.label as `/${string}` })
    if (authorization === undefined && (apikey === undefined || this.#publishable.has(apikey as string))) return anonymous
    return this.#verifier.known(bearerOf(authorization)) ?? this.#verify(headers, route)
  }

  async #verify(headers: Headers, route: Route): Promise<Actor> {
    try {
      return await this.#verifier.actorOf(headers)
    } catch (error) {
      // An API key that identity does not know yet may be one that its service still keeps. A public route stays public with a token that has run out.
      if (route.apiKeys || route.access === 'public') return anonymous
      throw error
    }
  }
}
