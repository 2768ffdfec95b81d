import type { CallArgs, CallReply, Calls } from '@operon/contracts/calls'
import { type QueryKey, type UseQueryOptions, useMutation, useQuery } from '@tanstack/react-query'
import { type ApiError, readJson, request } from './http.ts'
import { loadBackend } from './session.ts'

/** A function by its name; what it takes and answers is its contract's, known to the compiler alone. */
export type CallName = keyof Calls
export type PublicName = { [N in CallName]: Calls[N] extends { access: 'public' } ? N : never }[CallName]
export type CallOptions = {
  signal?: AbortSignal
  /** Sent again under the same key, a call has its effect once. */
  idempotencyKey?: string
}
type Given<N extends CallName> =
  Record<string, never> extends CallArgs<N> ? [args?: CallArgs<N>, options?: CallOptions] : [args: CallArgs<N>, options?: CallOptions]

/** Calls a function as the signed-in person: `await call('create-contact', { name })`. A failure is an `ApiError` with words to show. */
export async function call<N extends CallName>(name: N, ...[args, options]: Given<N>): Promise<CallReply<N>> {
  const { authed } = await loadBackend()
  return readJson(await authed(pathOf(name), sent(args, options)))
}

/** The same as a visitor: only what anybody may call, and without the auth client. */
export async function callPublic<N extends PublicName>(name: N, ...[args, options]: Given<N>): Promise<CallReply<N>> {
  return readJson(await request(pathOf(name), sent(args, options)))
}

const pathOf = (name: CallName) => `/functions/v1/${name}`
function sent(args: unknown, { signal, idempotencyKey }: CallOptions = {}): RequestInit {
  return {
    method: 'POST',
    body: JSON.stringify(args ?? {}),
    ...(signal && { signal }),
    ...(idempotencyKey && { headers: { 'idempotency-key': idempotencyKey } }),
  }
}

type QueryOptions<N extends CallName> = Omit<UseQueryOptions<CallReply<N>, ApiError>, 'queryKey' | 'queryFn'> & {
  /** The key of the kept answer, where the name and the arguments do not tell it from another person's. */
  key?: QueryKey
}

/** A function's answer, kept and asked again as TanStack Query does: `useCall('ai-usage', {})`. */
export function useCall<N extends CallName>(name: N, args: CallArgs<N>, { key, ...options }: QueryOptions<N> = {}) {
  return useQuery<CallReply<N>, ApiError>({
    queryKey: key ?? [name, args],
    queryFn: ({ signal }) => call(name, ...([args, { signal }] as unknown as Given<N>)),
    ...options,
  })
}

/** A function that changes something: `const revoke = useCallMutation('ai-key-revoke')`, then `revoke.mutateAsync({ key_id })`. */
export function useCallMutation<N extends CallName>(name: N) {
  return useMutation<CallReply<N>, ApiError, CallArgs<N>>({ mutationFn: (args) => call(name, ...([args] as unknown as Given<N>)) })
}
