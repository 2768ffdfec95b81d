import type { CallReply } from '@operon/contracts/calls'
import { moment } from '../../ui/format.ts'
import { useSearch } from '../../ui/useSearch.ts'
import { FactLink } from './Facts.tsx'
import { partsOf } from './mentions.ts'
import { longAgo } from './words.ts'

type Activity = CallReply<'show-contact'>['activities'][number]

const shut = { contact: undefined, company: undefined, deal: undefined }
const openedBy = {
  contact: (contact: string) => ({ ...shut, contact }),
  company: (company: string) => ({ ...shut, company }),
  deal: (deal: string) => ({ ...shut, deal, tab: 'deals' }),
}

/** An entry's text, with a link for each thing that it mentions. */
export function MentioningText({ text, mentions }: Pick<Activity, 'text' | 'mentions'>) {
  const { change } = useSearch()
  return partsOf(text, mentions).map(({ text: part, at, mention }) =>
    mention ? (
      <FactLink key={at} onClick={() => change(openedBy[mention.kind](mention.id))}>
        {part}
      </FactLink>
    ) : (
      part
    ),
  )
}

type Note = NonNullable<CallReply<'show-company'>['mentions']>[number]
/** The notes that mention what this panel shows. */
export function MentionedIn({ notes = [] }: { notes: Note[] | undefined }) {
  const { change } = useSearch()
  if (!notes.length) return null
  return (
    <section className="flex flex-col gap-2" aria-label="Mentioned in notes">
      <h3 className="text-13 font-medium">Mentioned in notes</h3>
      <ol>
        {notes.map(({ activity_id, contact_id, contact_name, text, at }) => (
          <li key={activity_id} className="border-t border-line py-2 text-13 first:border-t-0">
            <span className="block break-words whitespace-pre-wrap">{text}</span>
            <span className="text-12 text-faint">
              On <FactLink onClick={() => change(openedBy.contact(contact_id))}>{contact_name}</FactLink>,{' '}
              <time dateTime={at} title={moment(at)}>
                {longAgo(at)}
              </time>
            </span>
          </li>
        ))}
      </ol>
    </section>
  )
}
