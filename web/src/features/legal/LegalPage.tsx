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
      <div className="rail grid w-full md:grid-cols-12">
        <nav aria-label="Sections" className="hidden border-r border-line px-8 py-24 md:col-span-4 md:block lg:col-span-3">
          <ol className="sticky top-24 flex flex-col gap-0.5 text-14">
            {text.sections.map((section) => (
              <li key={section.title}>
                <a href={`#${anchor(section.title)}`} className="block py-1 text-muted hover:text-text">
                  {section.title}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <article className="px-5 py-14 md:col-span-8 md:px-12 md:py-24 lg:col-span-9 lg:px-20">
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
