"""A real mail server (aiosmtpd) for tests: prints its port, then each accepted mail as a line of JSON.

Use: mail.py FOLDER [--tls | --starttls] [--login USER PASSWORD] [--refuse ADDRESS] [--defer ADDRESS]
             [--hang-up ADDRESS] [--busy COUNT] [--parse]
With TLS its certificate is FOLDER/certificate.pem. --defer refuses a recipient for the moment, --busy the first mails.
"""

import argparse
import asyncio
import email
import email.policy
import json
import logging
import ssl
import subprocess
import warnings

from aiosmtpd.smtp import SMTP, AuthResult

arguments = argparse.ArgumentParser()
arguments.add_argument("folder")
arguments.add_argument("--tls", action="store_true")
arguments.add_argument("--starttls", action="store_true")
arguments.add_argument("--login", nargs=2)
arguments.add_argument("--refuse")
arguments.add_argument("--defer")
arguments.add_argument("--hang-up")
arguments.add_argument("--parse", action="store_true", help="print what a mail program makes of each mail")
arguments.add_argument("--busy", type=int, default=0)
options = arguments.parse_args()

# What a client does wrong here it does on purpose.
logging.disable()
warnings.simplefilter("ignore")


class Desk:
    async def handle_RCPT(self, server, session, envelope, address, _):
        if address == options.refuse:
            return "550 5.1.1 no such mailbox here"
        if address == options.defer:
            return "450 4.2.0 greylisted"
        if address == options.hang_up:
            server.transport.abort()
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 ok"

    async def handle_DATA(self, server, session, envelope):
        if options.busy > 0:
            options.busy -= 1
            return "451 4.3.0 try again later"
        mail = parsed(envelope.content) if options.parse else {
            "from": envelope.mail_from, "to": envelope.rcpt_tos, "text": envelope.content.decode("ascii"),
            "tls": session.ssl is not None or options.tls, "user": session.auth_data,
            "greeting": session.host_name,
        }
        print(json.dumps(mail), flush=True)
        return "250 2.0.0 taken"


def parsed(content):
    message = email.message_from_bytes(content, policy=email.policy.default)
    return {
        "subject": message["Subject"], "id": message["Message-ID"],
        "text": message.get_body(("plain",)).get_content(),
        "types": [part.get_content_type() for part in message.walk()],
        "date": message["Date"].datetime.timestamp(), "defects": len(message.defects),
    }


def authenticate(server, session, envelope, mechanism, data):
    if [data.login.decode(), data.password.decode()] == options.login:
        return AuthResult(success=True, auth_data=data.login.decode())
    return AuthResult(success=False, handled=False)


def context():
    certificate, key = f"{options.folder}/certificate.pem", f"{options.folder}/key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True, capture_output=True)
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, key)
    return tls


async def main():
    tls = context() if options.tls or options.starttls else None
    login = {"authenticator": authenticate, "auth_required": True, "auth_require_tls": False} if options.login else {}
    server = await asyncio.get_running_loop().create_server(
        lambda: SMTP(Desk(), hostname="test", tls_context=tls if options.starttls else None,
                     require_starttls=options.starttls, **login),
        "127.0.0.1", 0, ssl=tls if options.tls else None)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


asyncio.run(main())
