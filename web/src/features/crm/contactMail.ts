import type { CallReply } from '@operon/contracts/calls'
import { useInfiniteQuery } from '@tanstack/react-query'
import { call } from '../../api/call.ts'
import type { ContactDetail } from './queries.ts'

type Page = CallReply<'find-contact-mail'>
export type Mail = Page['messages'][number]
export type Mailbox = Page['mailboxes'][number]
type Activity = ContactDetail['activities'][number]

const KEPT_MS = 5 * 60_000

/** The emails with a contact, read in its owner's mailboxes. A key of its own: a note that is added does not read the mailbox again. */
export function useContactMail({ contact, emails }: ContactDetail) {
  const addresses = emails.length ? emails : [contact.email ?? '']
  const query = useInfiniteQuery({
    queryKey: ['contact-mail', contact.id, ...addresses],
    queryFn: ({ pageParam, signal }) =>
      call('find-contact-mail', { contact_id: contact.id, ...(pageParam && { cursor: pageParam }) }, { signal }),
    initialPageParam: '',
    getNextPageParam: (last: Page) => last.cursor ?? undefined,
    enabled: addresses[0] !== '',
    staleTime: KEPT_MS,
    gcTime: KEPT_MS,
    retry: false,
  })
  const pages = query.data?.pages ?? []
  // An email that arrives while pages are turned moves another one to the next page.
  const mails = new Map(pages.flatMap(({ messages }) => messages.map((mail) => [`${mail.connection_id} ${mail.id}`, mail])))
  return { query, mails: [...mails.values()], mailboxes: pages.at(-1)?.mailboxes ?? [] }
}

export type Entry = { activity: Activity } | { mail: Mail } | { olderMails: true }
type Part<T> = { entries: T[]; hasMore: boolean }

/**
 * One list, newest first. Activities are always all there: emails come later and take none of them away. Emails from before the last
 * activity wait until older activities are shown, and the way to older emails stands where those that were read end.
 */
export function timelineOf(activities: Part<Activity>, mails: Part<Mail>): Entry[] {
  const floor = activities.hasMore ? (activities.entries.at(-1)?.at ?? '') : ''
  const sorted = mails.entries.toSorted((one, other) => other.at.localeCompare(one.at))
  const shown = sorted.filter(({ at }) => at >= floor)
  const entries: (Entry & { at: string })[] = [
    ...activities.entries.map((activity) => ({ activity, at: activity.at })),
    ...shown.map((mail) => ({ mail, at: mail.at })),
  ]
  const last = sorted.at(-1)
  if (mails.hasMore && shown.length === sorted.length) entries.push({ olderMails: true, at: last?.at ?? floor })
  return entries.sort((one, other) => other.at.localeCompare(one.at))
}
