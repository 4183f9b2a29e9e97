"""A real HTTPS server for tests: prints its port, then the first line of each request that arrives, or
what a client sends first.

Use: tls.py FOLDER good|expired|otherHost|oldProtocol|plain|breaks|greeting
Its certificate for 127.0.0.1 is signed by the authority FOLDER/authority.pem. Its dates do not depend on today.
"""

import pathlib
import ssl
import subprocess
import sys
import warnings
from http.server import BaseHTTPRequestHandler, HTTPServer

folder, kind = pathlib.Path(sys.argv[1]), sys.argv[2]


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"OK")
        print(self.requestline, flush=True)


class Server(HTTPServer):
    def verify_request(self, request, _):
        if kind == "greeting":
            print(request.recv(4096).hex(), flush=True)
        return kind not in ("breaks", "greeting")

    def handle_error(self, *_):
        pass  # a client that does not accept the certificate


def openssl(*arguments):
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, cwd=folder)


def certificate():
    host, last = "127.0.0.2" if kind == "otherHost" else "127.0.0.1", "2001" if kind == "expired" else "2120"
    (folder / "ca.cnf").write_text(
        "[ca]\ndefault_ca = own\n[own]\ndatabase = index.txt\nnew_certs_dir = .\nrand_serial = yes\n"
        "default_md = sha256\npolicy = any\n[any]\ncommonName = supplied\n"
        "[authority]\nbasicConstraints = critical, CA:true\n"
        f"[server]\nbasicConstraints = CA:false\nsubjectAltName = IP:{host}\n")
    (folder / "index.txt").write_text("")
    key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    for name in ("authority", "server"):
        openssl("req", *key, "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr")
    dates = ["-startdate", "20000101000000Z", "-enddate"]
    sign = ["ca", "-batch", "-notext", "-config", "ca.cnf", "-keyfile", "authority.key"]
    openssl(*sign, "-selfsign", "-extensions", "authority", *dates, "21200101000000Z",
            "-in", "authority.csr", "-out", "authority.pem")
    openssl(*sign, "-cert", "authority.pem", "-extensions", "server", *dates, f"{last}0101000000Z",
            "-in", "server.csr", "-out", "server.pem")


server = Server(("127.0.0.1", 0), Handler)
if kind not in ("plain", "breaks", "greeting"):
    certificate()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    if kind == "oldProtocol":
        warnings.simplefilter("ignore")
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("ALL:@SECLEVEL=0")
    context.load_cert_chain(folder / "server.pem", folder / "server.key")
    # The handshake belongs to the connection, so that a failed one does not end the server.
    server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
print(server.server_port, flush=True)
server.serve_forever()
