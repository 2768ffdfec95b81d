import { useQuery, useQueryClient } from '@tanstack/react-query'
import { readJson, request } from '../../api/http.ts'
import { useSession } from '../../api/session.ts'
import { Talk } from '../../chat/Talk.tsx'
import { keyOf, type OrderRef, useOrderCall } from './queries.ts'

/** The messages about an order: with its link, or signed in. */
export function OrderMessages({ of: ref, seller }: { of: OrderRef; seller: string }) {
  const ask = useOrderCall()
  const { user } = useSession()
  const queries = useQueryClient()
  const queryKey = ['order-messages', keyOf(ref)]
  const { data, isError, refetch } = useQuery({ queryKey, queryFn: () => ask('order-messages', ref), refetchInterval: 20_000 })
  return (
    <section aria-labelledby="messages" className="px-5 py-7 md:px-8">
      <h2 id="messages" className="text-16 font-semibold">
        Messages with {seller}
      </h2>
      <p className="mt-1 text-13 text-muted">Your message also goes out by email. Answers appear here.</p>
      <Talk
        messages={data?.messages}
        failed={isError && !data}
        retry={refetch}
        me="buyer"
        other={seller}
        attachTo={user ? keyOf(ref) : null}
        linkTo={(file_id) => ask('thread-file', 'token' in ref ? { ...ref, file_id } : { thread_id: data!.thread_id!, file_id })}
        send={async (text, file_ids, files) => {
          if (files.length && 'token' in ref) await sendAsGuest(ref.token, text, files)
          else await ask('message-seller', { ...ref, text, file_ids })
          await queries.invalidateQueries({ queryKey })
        }}
      />
    </section>
  )
}

async function sendAsGuest(token: string, text: string, files: File[]) {
  const form = new FormData()
  form.append('token', token)
  form.append('text', text)
  for (const file of files) form.append('files', file, file.name)
  await readJson(await request('/functions/v1/message-seller-files', { method: 'POST', body: form }))
}
