import { Dialog } from '../../../ui/Dialog.tsx'
import { moment } from '../../../ui/format.ts'
import { Asked } from '../../../ui/Panel.tsx'
import { ShowMore } from '../../../ui/ShowMore.tsx'
import { type LeadForm, useAnswers } from './queries.ts'

type Props = { form: LeadForm; onClose: () => void; openContact: (id: string) => void }

/** Sent forms, and the consent of each visitor in its words at the time. */
export function Answers({ form, onClose, openContact }: Props) {
  const answers = useAnswers(form.id)
  const rows = answers.data?.pages.flatMap((page) => page.submissions) ?? []
  return (
    <Dialog open onClose={onClose} side="right" title={`Answers to “${form.title}”`}>
      <Asked query={answers} skeleton="h-60" failed="The answers could not be loaded" />
      <ul className="flex flex-col divide-y divide-line">
        {rows.map(({ id, contact_id, name, email, phone, company, answers: said, consent, at }) => (
          <li key={id} className="flex flex-col gap-1.5 py-3 text-14 first:pt-0">
            <span className="flex flex-wrap items-baseline justify-between gap-x-3">
              {contact_id ? (
                <button
                  type="button"
                  className="font-semibold underline decoration-line underline-offset-4 hover:decoration-text"
                  onClick={() => {
                    onClose()
                    openContact(contact_id)
                  }}
                >
                  {name}
                </button>
              ) : (
                <span className="font-semibold">{name}</span>
              )}
              <time dateTime={at} className="text-12 text-faint">
                {moment(at)}
              </time>
            </span>
            <span className="text-13 break-words text-muted">{[email, phone, company].filter(Boolean).join(' · ')}</span>
            {said.map(({ label, answer }) => (
              <p key={label} className="break-words whitespace-pre-wrap">
                <span className="text-muted">{label}: </span>
                {answer}
              </p>
            ))}
            <p className="text-13 text-muted">{consent ? `Agreed: ${consent}` : 'No consent to emails'}</p>
          </li>
        ))}
      </ul>
      <ShowMore of={answers} variant="ghost">
        Show older answers
      </ShowMore>
    </Dialog>
  )
}
