import type { Reply } from '@operon/contracts/contract'
import type { messageLimits } from '@operon/contracts/identity/api'
import { useQuery } from '@tanstack/react-query'
import { readMessageLimits } from './queries.ts'

type Channel = Reply<typeof messageLimits>['channels'][number]

/** Shows only when the platform's hourly limit for email or text messages is close. */
export function MessageLimits() {
  const { data } = useQuery({ queryKey: ['message-limits'], queryFn: readMessageLimits, staleTime: 0, refetchInterval: 30_000 })
  const close = data?.channels.filter(({ state }) => state !== 'ok') ?? []
  if (close.length === 0) return null
  return (
    <div role="status" className="mb-5 rounded-control border border-warn/40 bg-warn-soft px-4 py-3 text-14">
      {close.map((channel) => (
        <p key={channel.channel}>{wordsFor(channel)}</p>
      ))}
    </div>
  )
}

function wordsFor({ channel, state, per_hour, waiting, longest_wait_s }: Channel): string {
  const what = channel === 'email' ? 'Email' : 'Text messages'
  const limit = `${per_hour.toLocaleString('en-US')} an hour`
  if (state === 'near') return `${what}: nearly at the platform's limit of ${limit}. Messages beyond it will wait.`
  const minutes = Math.max(1, Math.ceil(longest_wait_s / 60))
  return `${what}: the platform's limit of ${limit} is reached. ${waiting.toLocaleString('en-US')} waiting, up to ${minutes} min. Security notices still go out.`
}
