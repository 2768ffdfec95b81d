import type { ColumnType, Generated, JSONColumnType } from 'kysely'

type Asked = 'off' | 'optional' | 'required'

export type FormsDb = {
  lead_forms: {
    id: string
    user_id: string
    title: string
    intro: string
    phone: Asked
    company: Asked
    questions: JSONColumnType<{ label: string; required: boolean }[]>
    consent_text: string
    double_opt_in: boolean
    button: string
    thanks: string
    active: boolean
    /** Counted with each submission, so that the list of forms reads no submissions. */
    sent: Generated<number>
    last_at: Date | null
    version: Generated<number>
    created_at: Generated<Date>
  }
  /** The answers, with the title of then: the form may be changed or gone. */
  lead_submissions: {
    id: string
    user_id: string
    form_id: string | null
    contact_id: string
    title: string
    name: string
    email: string
    phone: string | null
    company: string | null
    answers: ColumnType<{ label: string; answer: string }[], string, string>
    /** The words that the person agreed to. */
    consent: string | null
    at: Generated<Date>
  }
}
