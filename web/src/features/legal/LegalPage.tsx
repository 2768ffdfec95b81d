import { type LegalText, privacy, terms } from '../../content/legal.ts'
import { PublicLayout } from '../../shell/PublicLayout.tsx'

export function TermsPage() {
  return <Legal text={terms} />
}

export function PrivacyPage() {
  return <Legal text={privacy} />
}

const anchor = (title: string) => title.toLowerCase().replaceAll(/[^a-z]+/g, '-')

function Legal({ text }: { text: LegalText }) {
  return (
    <PublicLayout>
      <div className="mx-auto grid max-w-[84rem] gap-x-10 gap-y-10 px-5 py-14 md:grid-cols-12 md:px-8 md:py-20">
        <nav aria-label="Sections" className="hidden md:col-span-3 md:block">
          <ol className="sticky top-24 flex flex-col gap-0.5 border-l border-line text-14">
            {text.sections.map((section) => (
              <li key={section.title}>
                <a href={`#${anchor(section.title)}`} className="block py-1 pl-4 text-muted hover:text-text">
                  {section.title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <article className="md:col-span-8">
          <h1 className="text-40 font-semibold">{text.title}</h1>
          <p className="mt-3 font-mono text-12 text-faint">
            Version {text.version} · in effect from {text.effective}
          </p>
          <p className="mt-6 prose-measure text-muted">{text.intro}</p>
          {text.sections.map((section) => (
            <section key={section.title} id={anchor(section.title)} className="mt-10 scroll-mt-24">
              <h2 className="text-20 font-semibold">{section.title}</h2>
              {section.body.map((part) =>
                typeof part === 'string' ? (
                  <p key={part} className="mt-3 prose-measure text-muted">
                    {part}
                  </p>
                ) : (
                  <ul key={part.join()} className="mt-3 flex prose-measure flex-col gap-1.5 text-muted">
                    {part.map((line) => (
                      <li key={line} className="flex gap-3">
                        <span aria-hidden="true" className="mt-[0.6em] h-1.5 w-3 shrink-0 rounded-full bg-line" />
                        {line}
                      </li>
                    ))}
                  </ul>
                ),
              )}
            </section>
          ))}
        </article>
      </div>
    </PublicLayout>
  )
}
